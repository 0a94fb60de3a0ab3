"""The client against a real server: whole matches, broken connections, refusals."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.agents.loops import run
from tests.proxy import Line
from tests.server.servers import site
from turnstile.client import Client, Closed, Invitation, NewTable, Notice, Player, Refused, Seat, Turn, Unreachable
from turnstile.registry import names


async def play(player: Player, table: NewTable, turns: list[Turn] | None = None) -> list[Turn]:
    """Play random moves to the end."""
    turns = [] if turns is None else turns
    chance = random.Random(player.name)
    async with player.play(table) as seat:
        async for turn in seat:
            turns.append(turn)
            if turn.actions:
                await seat.act(chance.choice(turn.actions))
    return turns


async def two_players(client: Client, game: str = "e-card") -> tuple[Player, Player, NewTable]:
    """Ana and Bo at a table whose match has started."""
    ana, bo = await client.register("Ana"), await client.register("Bo")
    table = await ana.create_table(game, invite_only=True)
    await bo.join(Invitation.of(ana.invitation(table).link))
    await ana.start(table)
    return ana, bo, table


@asynccontextmanager
async def line_to(port: int) -> AsyncIterator[tuple[Line, str]]:
    """A line to the server that a test can break, and the address of its near end."""
    line = Line(("127.0.0.1", port))
    near = await asyncio.start_server(line.meet, "127.0.0.1", 0)
    try:
        yield line, f"http://127.0.0.1:{near.sockets[0].getsockname()[1]}"
    finally:
        near.close()
        await line.close()


def test_the_example_in_the_docstring_plays_a_match() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            me = await client.register("Ana")
            table = await me.create_table("e-card", bots=["random"])
            async with me.play(table) as seat:
                async for turn in seat:
                    if turn.actions:
                        await seat.act(random.choice(turn.actions))
            assert turn.is_last
            status = await me.status(table)
            assert status.is_over
            assert (await me.record(table)).startswith(b"{")

    run(main())


@pytest.mark.parametrize("game", names())
def test_two_clients_play_a_whole_match_and_see_every_update_once(game: str) -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, bo, table = await two_players(client, game)
            for turns in await asyncio.gather(play(ana, table), play(bo, table)):
                assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))
                newest = await here.ask("GET", f"/api/tables/{table.table}/view", token=ana.token)
                assert newest["view"] is not None

    run(main())


def test_the_folded_view_is_the_one_that_the_server_gives_whole() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, bo, table = await two_players(client, "up-down")
            playing = asyncio.gather(play(ana, table), play(bo, table))
            for player, turns in zip((ana, bo), await playing, strict=True):
                newest = await here.ask("GET", f"/api/tables/{table.table}/view", token=player.token)
                assert newest["view"] == turns[-1].view
                assert newest["seq"] == turns[-1].seq

    run(main())


def test_a_rematch_goes_on_over_the_same_connection() -> None:
    async def play_twice(player: Player, table: NewTable) -> list[list[Turn]]:
        chance, matches = random.Random(player.name), list[list[Turn]]()
        async with player.play(table) as seat:
            while True:
                turns = list[Turn]()
                async for turn in seat:
                    turns.append(turn)
                    if turn.actions:
                        await seat.act(chance.choice(turn.actions))
                matches.append(turns)
                if len(matches) == 2:
                    return matches
                await seat.move_to(await seat.rematch())
                if player.name == "Ana":
                    await seat.command("start")

    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, bo, table = await two_players(client)
            for matches in await asyncio.gather(play_twice(ana, table), play_twice(bo, table)):
                for turns in matches:
                    assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))
                    assert turns[-1].is_last
                first, second = ([turn.view for turn in turns] for turns in matches)
                assert first != second
            assert here.server.counts.opened == 2

    run(main())


def test_N14_a_seat_whose_connection_breaks_again_and_again_misses_and_repeats_nothing() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as direct, line_to(here.running.port) as (line, url):
            ana, bo, table = await two_players(direct)
            turns: list[Turn] = []
            async with Client(url) as client:
                shaky = await client.log_in(ana.token)
                matches = asyncio.gather(play(shaky, table, turns), play(bo, table))
                for count in range(5, 40, 5):
                    while len(turns) < count and not matches.done():
                        await asyncio.sleep(0.001)
                    line.cut()
                await matches
            assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))

    run(main())


def test_N1_a_move_whose_answer_was_lost_is_sent_again_and_counts_once() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as direct, line_to(here.running.port) as (line, url):
            ana, bo, table = await two_players(direct)
            async with Client(url) as client, bo.play(table) as other:
                shaky = await client.log_in(ana.token)
                async with shaky.play(table) as seat:
                    async for turn in seat:
                        if turn.actions:
                            break
                    async for theirs in other:
                        if theirs.actions:
                            break
                    line.is_deaf = True
                    acting = asyncio.create_task(seat.act(turn.actions[0]))
                    told = await anext(other)
                    assert [message["type"] for message in told.messages] == ["OpponentPicked"]
                    assert not acting.done()
                    line.mend()
                    line.cut()
                    assert await acting
                    with pytest.raises(Refused) as refused:
                        await seat.act(turn.actions[0], seen=seat.seq)
                    assert refused.value.code == "AlreadyPicked"

    run(main())


def test_N8_a_newer_connection_of_the_seat_ends_the_old_one() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, _, table = await two_players(client)
            async with ana.play(table) as old:
                await anext(old)
                async with ana.play(table) as new:
                    assert (await anext(new)).seq == 1
                    with pytest.raises(Closed) as closed:
                        async for _ in old:
                            pass
                    assert closed.value.code == 4009
                    with pytest.raises(Closed):
                        await old.act({"type": "Pick"})

    run(main())


def test_a_refusal_has_the_code_and_the_sentence_of_the_server() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana = await client.register("Ana")
            with pytest.raises(Refused, match="no game of this name") as refused:
                await ana.create_table("chess")
            assert (refused.value.code, refused.value.status) == ("NoSuchGame", 404)
            with pytest.raises(Refused) as refused:
                await client.log_in("nobody's")
            assert refused.value.code == "BadToken"
            async with ana.play("no such table") as seat:
                with pytest.raises(Closed) as closed:
                    await anext(seat)
                assert closed.value.code == 4004

    run(main())


def test_a_command_that_the_server_cannot_read_is_refused() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, _, table = await two_players(client)
            async with ana.play(table) as seat:
                await anext(seat)
                asked = (seat.command("addBot", bot="random"), seat.command("addWords", words="luck"), seat.act(None))
                nameless, words, nothing = await asyncio.gather(*asked, return_exceptions=True)
                assert isinstance(nameless, Refused)
                assert isinstance(nothing, Refused)
                assert (nameless.code, nothing.code) == ("BadFrame", "BadFrame")
                assert words == 1

    run(main())


def test_a_caller_that_is_cancelled_while_it_leaves_its_seat_is_cancelled() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, _, table = await two_players(client)
            seat = ana.play(table)
            await seat.__aenter__()
            await anext(seat)
            leaving = asyncio.create_task(seat.leave())
            await asyncio.sleep(0)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            with pytest.raises(Closed):
                await seat.wait_for_news()

    run(main())


def test_spectators_see_the_match_and_cannot_move() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana = await client.register("Ana")
            table = await ana.create_table("e-card", bots=["random"])
            async with client.watch(table) as watching:
                await play(ana, table)
                turns = [turn async for turn in watching]
                assert turns[-1].is_last
                assert not any(turn.actions for turn in turns)
                with pytest.raises(Refused) as refused:
                    await watching.act({"type": "Pick"})
                assert refused.value.code == "NoToken"

    run(main())


def test_a_listener_hears_of_presence_and_of_lost_connections() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as direct, line_to(here.running.port) as (line, url):
            ana, bo, table = await two_players(direct)
            heard: list[tuple[Notice, frozenset[str]]] = []

            def hear(seat: Seat, notice: Notice) -> None:
                heard.append((notice, frozenset(seat.here)))

            async with Client(url) as client:
                shaky = await client.log_in(ana.token)
                async with shaky.play(table, hear) as seat:
                    await anext(seat)
                    assert seat.status is not None
                    assert seat.status.game == "e-card"
                    async with bo.play(table):
                        await until(lambda: (Notice.PRESENCE, frozenset({ana.id, bo.id})) in heard)
                        line.cut()
                        await until(lambda: [each for each, _ in heard].count(Notice.CONNECTED) == 2)
            assert Notice.LOST in [each for each, _ in heard]

    async def until(condition: "object") -> None:
        assert callable(condition)
        while not condition():
            await asyncio.sleep(0.001)

    run(main())


def test_the_account_can_be_renamed_taken_along_and_logged_out() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana = await client.register("Ana")
            await ana.rename("Anna")
            code = await ana.make_code()
            same = await client.use_code(code.code)
            assert (same.id, same.name) == (ana.id, "Anna")
            before = ana.token
            await ana.log_out_everywhere()
            with pytest.raises(Refused):
                await client.log_in(before)
            assert (await client.log_in(ana.token)).id == ana.id
            await ana.delete()

    run(main())


def test_tables_can_be_prepared_and_found() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, bo = await client.register("Ana"), await client.register("Bo")
            table = await ana.create_table("up-down", settings={"ackSeconds": 5}, is_program=True)
            assert [seat.kind for seat in (await ana.status(table)).seats] == ["agent"]
            assert [each.table for each in (await client.tables(game="up-down")).tables] == [table.table]
            await bo.join(table.table)
            assert await ana.names(table) == {ana.id: "Ana", bo.id: "Bo"}
            await bo.leave(table)
            await ana.add_bot(table, "random", "cy")
            await ana.remove(table, "cy")
            assert [each.table for each in (await ana.tables(is_open=True)).tables] == [table.table]
            await ana.close(table)
            assert (await ana.status(table)).phase == "Closed"
            async with ana.play(table) as seat:
                assert [turn async for turn in seat] == []
            games = {game.name: game for game in await client.games()}
            assert games["e-card"].seats.most == 2
            assert "rules" in await client.game("e-card")

    run(main())


def test_a_server_that_is_not_there_is_unreachable() -> None:
    async def main() -> None:
        async with Client("http://127.0.0.1:1") as client:
            with pytest.raises(Unreachable, match="cannot be reached"):
                await client.register("Ana")

    run(main())


@pytest.mark.parametrize("url", ["", "localhost:8000", "127.0.0.1:8000", "ftp://here", "http://"])
def test_what_is_not_the_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="it looks like http://"):
        Client(url)


@pytest.mark.parametrize(
    "link", ["", "here", "http://here", "ftp://here/table/1", "http:///table/1", "http://here/table/"]
)
def test_a_link_that_is_no_invitation_is_refused(link: str) -> None:
    with pytest.raises(ValueError, match="not an invitation"):
        Invitation.of(link)


def test_an_invitation_has_the_link_of_the_server() -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana = await client.register("Ana")
            table = await ana.create_table("e-card", invite_only=True)
            path, token = f"/api/tables/{table.table}/invitation", ana.token
            drawn = await here.ask("POST", path, {"invite": table.invite}, token=token)
            assert ana.invitation(table).link == drawn["link"]
            opened = await here.ask("POST", path, {}, token=token)
            assert Invitation.of(opened["link"]) == Invitation(here.url, table.table)

    run(main())


def test_an_invitation_survives_its_link() -> None:
    for invitation in (Invitation("https://here:80/x", "a b&c", "s/=+"), Invitation("http://here", "t")):
        assert Invitation.of(invitation.link) == invitation
