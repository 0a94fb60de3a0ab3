"""What every directory does with results and ratings: booked once, together, and no update is lost."""

import asyncio

import pytest
from msgspec.structs import replace

from tests.store.people import ANA, BO, CY, match, rating, registered
from tests.store.places import SHARED, Place, at_a_place, on_a_store
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import (
    Booked,
    Directory,
    DirectoryStore,
    MatchPlayer,
    MatchResult,
    Page,
    PageMark,
    Rate,
    Rating,
    book_rated,
)
from turnstile.store.protocol import Busy, Unstorable


def one_more(players: list[PlayerId]) -> Rate:
    """Each of these players gains one point with each match."""

    def rate(old: object) -> list[Rating]:
        assert isinstance(old, dict)
        return [
            replace(found, mu=found.mu + 1, matches=found.matches + 1) if found else rating(player, mu=1.0)
            for player in players
            for found in [old.get(player)]
        ]

    return rate


@on_a_store
async def test_a_result_comes_back_as_it_went_in(store: DirectoryStore) -> None:
    players = (
        MatchPlayer(ANA, True, 1, 66),
        MatchPlayer(BO, False, None, None, "agent"),
        MatchPlayer(PlayerId("Büchse"), False, 2, -3, "bot", "search"),
    )
    booked = MatchResult(LogId("t"), "66", Instant(2**53 + 1), "resigned", False, False, players)
    assert await store.directory.book(booked) is Booked.NOW
    assert await store.directory.results_of(ANA) == Page((booked,), None)
    assert await store.directory.results_of(BO) == Page((booked,), None)


@on_a_store
async def test_public_results_can_be_asked_for_alone(store: DirectoryStore) -> None:
    directory = store.directory
    for number in range(6):
        await directory.book(replace(match(f"t{number}", finished=number), is_public=number % 2 == 0))
    for game in (None, "doors"):
        public = await directory.results_of(ANA, game=game, is_public=True, limit=2)
        assert [each.table for each in public.items] == ["t4", "t2"]
        rest = await directory.results_of(ANA, game=game, is_public=True, after=public.after)
        assert [each.table for each in rest.items] == ["t0"]
        private = await directory.results_of(ANA, game=game, is_public=False)
        assert [each.table for each in private.items] == ["t5", "t3", "t1"]
        assert len((await directory.results_of(ANA, game=game)).items) == 6


@on_a_store
async def test_booking_gives_up_when_a_rating_never_fits(store: DirectoryStore) -> None:
    """As with a damaged rating, which is left out when it is read."""
    with pytest.raises(Busy):
        await book_rated(store.directory, match("t"), "all", lambda _: [rating(ANA, 5)])
    assert (await store.directory.results_of(ANA)).items == ()


@on_a_store
async def test_a_bot_has_no_results_of_its_own(store: DirectoryStore) -> None:
    """A bot may sit under the id of a player."""
    booked = match("t")
    shadow = replace(booked, players=(booked.players[0], replace(booked.players[1], kind="bot", bot="random")))
    await store.directory.book(shadow)
    assert (await store.directory.results_of(BO)).items == ()


@on_a_store
async def test_a_match_is_booked_once_with_its_ratings(store: DirectoryStore) -> None:
    directory = store.directory
    assert await directory.book(match("t"), [rating(ANA, mu=30.0), rating(BO, mu=20.0)]) is Booked.NOW
    again = match("t", CY, finished=9)
    assert await directory.book(again, [rating(ANA, 2, 99.0), rating(CY)]) is Booked.ALREADY
    assert (await directory.results_of(ANA)).items == (match("t"),)
    assert (await directory.results_of(CY)).items == ()
    assert await directory.ratings([ANA, BO, CY], "doors", "all") == {
        ANA: rating(ANA, mu=30.0),
        BO: rating(BO, mu=20.0),
    }


@on_a_store
async def test_a_rating_that_has_changed_meanwhile_is_not_overwritten(store: DirectoryStore) -> None:
    directory = store.directory
    await directory.book(match("t"), [rating(ANA), rating(BO)])
    for stale in (rating(ANA), rating(ANA, 3), rating(CY, 2)):
        assert await directory.book(match("u"), [rating(BO, 2, 50.0), stale]) is Booked.STALE
    assert await directory.ratings_of(BO) == (rating(BO),)
    assert (await directory.results_of(BO)).items == (match("t"),)
    assert await directory.book(match("u"), [rating(BO, 2, 50.0), rating(ANA, 2, 10.0)]) is Booked.NOW
    assert await directory.ratings_of(BO) == (rating(BO, 2, 50.0),)


@on_a_store
async def test_ratings_of_games_and_pools_are_apart(store: DirectoryStore) -> None:
    directory = store.directory
    those = [rating(ANA, mu=mu, game=game, pool=pool) for mu, game, pool in
             ((1.0, "doors", "all"), (2.0, "doors", "people"), (3.0, "66", "all"))]  # fmt: skip
    assert await directory.book(match("t"), those) is Booked.NOW
    assert await directory.ratings_of(ANA) == (those[2], those[0], those[1])
    assert await directory.ratings([ANA], "doors", "people") == {ANA: those[1]}
    assert await directory.ratings([ANA], "66", "people") == {}
    assert await directory.ratings([ANA], "\0", "people") == await directory.ratings([ANA], "66", "\0") == {}
    assert (await directory.leaders("66", "all")).items == (those[2],)
    assert (await directory.leaders("66", "\ud800")).items == (await directory.leaders("\0", "all")).items == ()
    assert await directory.ratings_of(BO) == await directory.ratings_of(PlayerId("\0")) == ()


@on_a_store
async def test_results_of_a_player_come_by_game_and_in_pages_the_newest_first(store: DirectoryStore) -> None:
    directory = store.directory
    matches = [
        match(f"t{number}", ANA, CY if number % 2 else BO, game="doors" if number < 5 else "66", finished=number // 2)
        for number in range(8)
    ]
    for each in matches:
        await directory.book(each)
    assert (await directory.results_of(ANA)).items == tuple(matches[::-1])
    assert (await directory.results_of(ANA, game="66")).items == tuple(matches[:4:-1])
    assert (await directory.results_of(CY, game="doors")).items == (matches[3], matches[1])
    assert (await directory.results_of(ANA, game="\0")).items == (await directory.results_of(PlayerId(""))).items == ()
    found: list[MatchResult] = []
    mark: PageMark | None = None
    for _ in range(3):
        page = await directory.results_of(ANA, after=mark, limit=3)
        found += page.items
        mark = page.after
    assert mark is None
    assert found == matches[::-1]


@on_a_store
async def test_leaders_come_by_what_they_are_worth_at_least(store: DirectoryStore) -> None:
    directory = store.directory
    sure, unsure, equal = rating(ANA, mu=20.0), rating(BO, mu=30.0), rating(CY, mu=20.0)
    sure, equal = replace(sure, sigma=1.0), replace(equal, sigma=1.0)
    await directory.book(match("t"), [sure, unsure, equal])
    assert (await directory.leaders("doors", "all")).items == (equal, sure, unsure)
    first = await directory.leaders("doors", "all", limit=1)
    assert first.items == (equal,)
    second = await directory.leaders("doors", "all", after=first.after, limit=2)
    assert second == Page((sure, unsure), None)


@on_a_store
async def test_a_match_among_many_that_are_booked_at_once_loses_no_rating(store: DirectoryStore) -> None:
    await _book_at_once([store.directory], 24)


@pytest.mark.parametrize("place", SHARED, indirect=True)
@at_a_place
async def test_K6_processes_that_book_the_same_matches_at_once_book_each_once(place: Place) -> None:
    """Every process books every match, and all matches share players: nothing is lost and nothing counts twice."""
    stores = [await place.open() for _ in range(3)]
    await _book_at_once([store.directory for store in stores], 12)
    for store in stores:
        await store.close()


async def _book_at_once(directories: list[Directory], count: int) -> None:
    pairs = [[ANA, BO], [BO, CY], [CY, ANA]]
    await registered(directories[0], ANA, BO, CY)
    answers = await asyncio.gather(
        *(
            book_rated(directory, match(f"t{number:02}", *pairs[number % 3]), "all", one_more(pairs[number % 3]))
            for number in range(count)
            for directory in directories
        )
    )
    assert answers.count(Booked.NOW) == count
    assert answers.count(Booked.ALREADY) == count * (len(directories) - 1)
    each = count * 2 // 3
    found = await directories[-1].ratings([ANA, BO, CY], "doors", "all")
    assert {player: (found[player].matches, found[player].mu) for player in found} == dict.fromkeys(
        (ANA, BO, CY), (each, float(each))
    )
    for player in (ANA, BO, CY):
        assert len((await directories[0].results_of(player)).items) == each


PLAYERS = match("t").players


@pytest.mark.parametrize(
    "spoiled",
    [
        replace(match("t"), table=LogId("")),
        replace(match("t"), game="a\0"),
        replace(match("t"), how="\ud800"),
        replace(match("t"), finished=Instant(2**63)),
        replace(match("t"), players=(PLAYERS[0], PLAYERS[0])),
        replace(match("t"), players=tuple(MatchPlayer(PlayerId(f"p{number}"), False) for number in range(101))),
        replace(match("t"), players=(replace(PLAYERS[0], player=PlayerId("x" * 65)),)),
        replace(match("t"), players=(replace(PLAYERS[0], kind=""),)),
        replace(match("t"), players=(replace(PLAYERS[0], bot="a\nb"),)),
        replace(match("t"), players=(replace(PLAYERS[0], score=2**63),)),
    ],
)
def test_a_result_that_cannot_be_stored_is_refused(place: Place, spoiled: MatchResult) -> None:
    async def test(store: DirectoryStore) -> None:
        with pytest.raises(Unstorable):
            await store.directory.book(spoiled)
        assert await store.directory.book(match("t")) is Booked.NOW

    on_a_store(test)(place)


@pytest.mark.parametrize(
    "spoiled",
    [
        rating(PlayerId("\0")),
        rating(ANA, game=""),
        rating(ANA, pool="\ud800"),
        rating(ANA, mu=float("nan")),
        replace(rating(ANA), sigma=float("inf")),
        replace(rating(ANA), mu=1e308, sigma=-1e308),
        rating(ANA, 0),
        rating(BO),
    ],
)
def test_ratings_that_cannot_be_stored_are_refused_with_their_match(place: Place, spoiled: Rating) -> None:
    async def test(store: DirectoryStore) -> None:
        with pytest.raises(Unstorable):
            await store.directory.book(match("t"), [rating(BO), spoiled])
        assert await store.directory.ratings_of(BO) == ()
        assert await store.directory.book(match("t")) is Booked.NOW

    on_a_store(test)(place)
