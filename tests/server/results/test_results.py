"""Results and ratings: what every match leads to, and who sees it."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agents.loops import pass_time, run, until
from tests.server.finished import booked, play_to_the_end, rated, ratings_of, resign, results_of
from tests.server.servers import SETTINGS, Guest, site
from turnstile.host.records import read_end
from turnstile.kernel.values import ByPlayer, LogId, PlayerId
from turnstile.server.http.pages import Mark, mark_of, text_of
from turnstile.server.limits import LIMITS, LimitName
from turnstile.server.results.ratings import places_of
from turnstile.store.directory import PageMark
from turnstile.store.memory import Disk, MemoryStore
from turnstile.table.values import Halt, How, Result

MARK = get_args(Mark)[1].pattern

# what is booked


def test_a_match_is_in_the_results_of_its_players_and_moves_their_ratings() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await play_to_the_end(ana, bo)
            await booked(here, 1)
            ended = (await here.ask("GET", f"/api/tables/{table}"))["status"]["result"]
            (match,) = await results_of(ana)
            assert [match] == await results_of(bo)
            assert (match["table"], match["game"], match["how"]) == (table, "e-card", "played")
            assert match["isRated"]
            assert match["isPublic"]
            places = [
                (each["player"], each["kind"], each["hasWon"], each["score"], each["place"])
                for each in match["players"]
            ]
            won = ended["winners"]
            assert len(won) == 1
            assert places == [
                (each.player, "person", each.player in won, ended["scores"][each.player], 2 - (each.player in won))
                for each in (ana, bo)
            ]
            page = await here.ask("GET", f"/api/players/{ana.player}")
            assert page["matches"] == [match]
            assert page["names"] == {ana.player: "Ana", bo.player: "Bo"}
            placed = [(each["player"], each["place"]) for each in match["players"]]
            assert await ratings_of(ana, bo) == rated([("e-card", placed)])

    run(main())


def test_leaders_are_sorted_by_what_is_almost_certain() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            for loser, winner in ((bo, ana), (cy, ana), (cy, bo)):
                await resign(loser, winner)
            await booked(here, 3)
            board = (await here.ask("GET", "/api/games/e-card/leaders"))["leaders"]
            assert [each["name"] for each in board] == ["Ana", "Bo", "Cy"]
            assert [each["rating"] for each in board] == sorted((each["rating"] for each in board), reverse=True)
            placed = [((ana, 1), (bo, 2)), ((ana, 1), (cy, 2)), ((bo, 1), (cy, 2))]
            wanted = rated([("e-card", [(each.player, place) for each, place in match]) for match in placed])
            shown = {(each["player"], "e-card"): (each["mu"], each["sigma"], each["matches"]) for each in board}
            assert shown.keys() == wanted.keys()
            for key, (mu, sigma, count) in wanted.items():
                assert shown[key] == (pytest.approx(mu), pytest.approx(sigma), count)
            assert (await here.ask("GET", "/api/games/66/leaders"))["leaders"] == []
            assert await here.refusal("GET", "/api/games/none/leaders") == (404, "NoSuchGame")

    run(main())


def test_three_players_are_rated_together_and_those_who_stay_share_the_first_place() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            await resign(ana, bo, cy, game="up-down")
            await booked(here, 1)
            (match,) = await results_of(cy)
            assert [each["place"] for each in match["players"]] == [3, 1, 1]
            assert [each["score"] for each in match["players"]] == [None, None, None]
            placed = [(ana.player, 3), (bo.player, 1), (cy.player, 1)]
            assert await ratings_of(ana, bo, cy) == rated([("up-down", placed)])

    run(main())


def test_programs_that_play_from_elsewhere_are_rated_like_people() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            await bo.command(table, "join", kind="agent")
            await ana.command(table, "start")
            await ana.command(table, "resign")
            await booked(here, 1)
            (match,) = await results_of(bo)
            assert [each["kind"] for each in match["players"]] == ["person", "agent"]
            assert match["isRated"]
            assert len(await ratings_of(ana, bo)) == 2

    run(main())


def test_a_match_with_a_bot_is_recorded_and_not_rated() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            await resign(ana, bots=["random"])
            await booked(here, 1)
            (match,) = await results_of(ana)
            assert match["players"][1] == {
                "player": "random 1", "kind": "bot", "bot": "random", "hasWon": True, "place": 1, "score": None,
            }  # fmt: skip
            assert not match["isRated"]
            assert await ratings_of(ana) == {}
            assert (await here.ask("GET", "/api/games/e-card/leaders"))["leaders"] == []

    run(main())


def test_a_halted_match_is_recorded_without_places_and_not_rated() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            await here.server.host.notice(LogId(table), lambda now: Halt(now, "a secret reason"))
            await booked(here, 1)
            (match,) = await results_of(ana)
            assert (match["how"], match["isRated"]) == ("halted", False)
            assert [(each["hasWon"], each["place"]) for each in match["players"]] == [(False, None)] * 2
            assert "secret" not in repr(match)
            assert await ratings_of(ana, bo) == {}

    run(main())


def test_a_match_that_is_lost_on_time_is_rated() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            clock = {"seconds": 0.2, "per": "match", "runOut": "forfeit"}
            table = await here.table(ana, bo, game="even-odd", settings={"clock": clock})
            await ana.command(table, "start")
            wires = [await each.hello(table) for each in (ana, bo)]
            await asyncio.gather(*(wire.until_actions() for wire in wires))
            await booked(here, 1)
            (match,) = await results_of(ana)
            assert (match["how"], match["isRated"]) == ("outOfTime", True)
            assert sorted(each["place"] for each in match["players"]) == [1, 2]
            assert len(await ratings_of(ana, bo)) == 2

    run(main())


def test_a_table_that_was_closed_before_its_match_has_no_result() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            await ana.command(table, "close")
            assert await here.server.directory.unbooked() == [LogId(table)]
            pass_time(61)
            await until(lambda: here.disk.logs[LogId(table)].is_booked)
            assert await results_of(ana) == []
            assert here.server.counts.booked == 0

    run(main())


def test_a_rematch_is_another_match_and_the_first_keeps_its_time() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await resign(ana, bo)
            await booked(here, 1)
            pass_time(30)
            for guest in (ana, bo):
                await guest.command(table, "rematch")
            status = (await here.ask("GET", f"/api/tables/{table}"))["status"]
            await until(lambda: here.disk.logs[LogId(table)].row.phase == "Closed")
            status = (await here.ask("GET", f"/api/tables/{table}"))["status"]
            await ana.command(status["successor"], "start")
            await bo.command(status["successor"], "resign")
            await booked(here, 2)
            second, first = await results_of(ana)
            assert (first["table"], second["table"]) == (table, status["successor"])
            end = await read_end(here.server.host.store, LogId(table))
            assert end is not None
            assert first["finished"] == end.now < second["finished"] - 29_000

    run(main())


# who sees what


def test_V1_a_match_at_a_private_table_is_seen_by_its_own_players_only() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            hidden = [await resign(ana, bo, inviteOnly=True), await resign(ana, bo, settings={"isListed": False})]
            await booked(here, 2)
            for guest in (ana, bo):
                mine = await results_of(guest)
                assert {each["table"] for each in mine} == set(hidden)
                assert not any(each["isRated"] or each["isPublic"] for each in mine)
                for token in (None, ana.token, bo.token, cy.token):
                    page = await here.ask("GET", f"/api/players/{guest.player}", token=token)
                    assert (page["matches"], page["ratings"], page["names"]) == ([], [], {})
            assert await results_of(cy) == []
            assert (await here.ask("GET", "/api/games/e-card/leaders"))["leaders"] == []
            table = hidden[0]
            for guest in (ana, bo):
                await guest.command(table, "rematch")
            await until(lambda: here.disk.logs[LogId(table)].row.phase == "Closed")
            again = (await here.ask("GET", f"/api/tables/{table}"))["status"]["successor"]
            await ana.command(again, "start")
            await ana.command(again, "resign")
            await booked(here, 3)
            assert not (await results_of(bo))[0]["isPublic"]

    run(main())


def test_V1_a_match_shows_nothing_before_its_end_and_the_same_to_all_afterwards() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, cy = [await here.register(name) for name in ("Ana", "Bo", "Cy")]
            table = await here.table(ana, bo, settings={"spectators": False})
            await ana.command(table, "start")
            wire = await ana.hello(table)
            await wire.until("update")
            pages = [await here.ask("GET", f"/api/players/{each.player}") for each in (ana, bo)]
            assert [(page["matches"], page["ratings"]) for page in pages] == [([], []), ([], [])]
            await ana.command(table, "resign")
            await booked(here, 1)
            seen = [
                await here.ask("GET", f"/api/players/{ana.player}", token=token)
                for token in (None, ana.token, bo.token, cy.token)
            ]
            assert all(page == seen[0] for page in seen)
            fields = {"table", "game", "finished", "how", "isRated", "isPublic", "players"}
            assert set(seen[0]["matches"][0]) == fields

    run(main())


def test_a_deleted_player_has_no_page_no_rating_and_no_name_in_the_matches_of_others() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            await resign(ana, bo)
            await booked(here, 1)
            before = await ratings_of(bo)
            await ana.ask("DELETE", "/api/me")
            assert await here.refusal("GET", f"/api/players/{ana.player}") == (404, "NoSuchPlayer")
            page = await here.ask("GET", f"/api/players/{bo.player}")
            assert page["names"] == {bo.player: "Bo"}
            assert [each["player"] for each in page["matches"][0]["players"]] == [ana.player, bo.player]
            assert await ratings_of(bo) == before
            board = (await here.ask("GET", "/api/games/e-card/leaders"))["leaders"]
            assert [each["player"] for each in board] == [bo.player]
            assert "Ana" not in repr((page, board))

    run(main())


@pytest.mark.parametrize("has_resigned", [True, False])
def test_a_player_who_is_deleted_during_a_match_does_not_spoil_it_for_the_other(has_resigned: bool) -> None:
    """It resigns then. A match whose player was deleted by an older release ends when the other one resigns."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            if has_resigned:
                await ana.ask("DELETE", "/api/me")
            else:
                await here.server.people.delete(PlayerId(ana.player))
                await bo.command(table, "resign")
            await booked(here, 1)
            placed = [(ana.player, 2 if has_resigned else 1), (bo.player, 1 if has_resigned else 2)]
            assert (await ratings_of(bo))[bo.player, "e-card"] == rated([("e-card", placed)])[bo.player, "e-card"]
            assert await here.server.directory.ratings_of(PlayerId(ana.player)) == ()

    run(main())


# pages


def test_results_and_leaders_come_in_pages_without_gaps_or_repetitions() -> None:
    async def main() -> None:
        async with site() as here:
            ana, *others = [await here.register(f"player {number}") for number in range(6)]
            tables = [await resign(ana, other, game=game) for other in others for game in ("e-card", "66")]
            await booked(here, 10)
            me = await _all_pages(ana, "/api/me/results", "matches")
            assert sorted(each["table"] for each in me) == sorted(tables)
            assert me == await _all_pages(ana, f"/api/players/{ana.player}", "matches")
            cards = await _all_pages(ana, "/api/me/results", "matches", "&game=66")
            assert cards == [each for each in me if each["game"] == "66"]
            board = await _all_pages(ana, "/api/games/66/leaders", "leaders")
            assert len({each["player"] for each in board}) == len(board) == 6
            assert board[-1]["player"] == ana.player
            assert board[-1]["rating"] < 0  # a page may end with a negative rating

    run(main())


async def _all_pages(guest: Guest, path: str, field: str, rest: str = "") -> list[Any]:
    found, after = list[Any](), ""
    while True:
        page = await guest.ask("GET", f"{path}?limit=2{after}{rest}")
        assert len(page[field]) <= 2
        found += page[field]
        if page["next"] is None:
            return found
        after = f"&after={page['next']}"


@given(st.from_regex(MARK, fullmatch=True), st.floats(-100, 100), st.integers(0, 2**53))
def test_every_mark_that_the_contract_allows_is_understood(text: str, rating: float, at: int) -> None:
    mark = mark_of(text)
    assert mark is not None
    assert abs(mark.value) < 1e200
    for value in (rating, at):
        written = text_of(PageMark(value, "p-1"))
        assert written is not None
        assert re.search(MARK, written)
        assert mark_of(written) == PageMark(value, "p-1")

    async def main() -> None:
        directory = MemoryStore(lambda: 0, Disk(), is_shared=False).directory
        assert (await directory.results_of(PlayerId("p-1"), after=mark)).items == ()
        assert (await directory.leaders("66", "public", after=mark)).items == ()

    run(main())


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "after=x", "after=1", "after=1:", "after=01:a", "after=--:a", "who=1"]
)
def test_a_query_for_a_page_that_makes_no_sense_is_refused(query: str) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            for path in ("/api/me/results", f"/api/players/{ana.player}", "/api/games/66/leaders"):
                assert await ana.refusal("GET", f"{path}?{query}") == (400, "BadRequest")

    run(main())


def test_pages_of_results_have_a_limit() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, limit_factor=0.01)) as here:
            for _ in range(int(LIMITS[LimitName.RESULTS].burst * 0.01)):
                await here.ask("GET", "/api/games/66/leaders")
            assert await here.refusal("GET", "/api/games/66/leaders") == (429, "TooFast")

    run(main())


# places


def result(winners: str, scores: Mapping[str, int] | None = None, how: How = How.PLAYED) -> Result:
    points = None if scores is None else ByPlayer({PlayerId(player): score for player, score in scores.items()})
    return Result(how, tuple(map(PlayerId, winners)), points)


@pytest.mark.parametrize(
    ("ended", "places"),
    [
        (result("a", {"a": 9, "b": 5, "c": 7, "d": 5}), [1, 3, 2, 3]),  # more points are better
        (result("a", {"a": 1, "b": 5, "c": 7, "d": 5}), [1, 2, 4, 2]),  # fewer points are better, as in 66
        (result("a", {"a": 6, "b": 5, "c": 7, "d": 5}), [1, 2, 2, 2]),  # the points do not say who is better
        (result("ab", {"a": 9, "b": 9, "c": 7, "d": 8}), [1, 1, 4, 3]),
        (result("", {"a": 9, "b": 9, "c": 7, "d": 8}), [1, 1, 1, 1]),  # a draw
        (result("abcd", {"a": 9, "b": 9, "c": 9, "d": 9}), [1, 1, 1, 1]),
        (result("abd", None, How.RESIGNED), [1, 1, 4, 1]),
        (result("bcd", None, How.OUT_OF_TIME), [4, 1, 1, 1]),
        (result("", None, How.HALTED), []),
    ],
)
def test_places_come_from_winners_and_scores(ended: Result, places: list[int]) -> None:
    assert list(places_of(ended, tuple(map(PlayerId, "abcd"))).values()) == places
