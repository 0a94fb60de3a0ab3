"""What a server offers to authors of games, and that it offers none of it to anyone else."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.agents.loops import run
from tests.server.processes import ServerProcess
from tests.server.servers import Guest, Site, site
from tests.test_write_a_game import FILES
from turnstile import registry
from turnstile.host import Host
from turnstile.server import Server, ServerSettings
from turnstile.server.dev.sources import CannotLoad, file_source
from turnstile.server.settings import InvalidSettings, check_settings
from turnstile.store.memory import Disk, MemoryStore

DEV_PATHS = ("/api/dev/tables/{table}/steps", "/api/dev/tables/{table}/seats")


async def hot_seat(ana: Guest, game: str = "e-card", **rest: Any) -> tuple[str, list[Guest]]:
    """A table at which Ana holds all seats: its id, and the players at the further seats."""
    opened = await ana.ask("POST", "/api/dev/tables", {"game": game, **rest}, status=201)
    return opened["table"], [Guest(ana.site, seat["player"], seat["token"]) for seat in opened["seats"]]


async def play_round(table: str, *guests: Guest) -> None:
    """Each acknowledges what it was told, and makes its first move."""
    wires = [await guest.hello(table) for guest in guests]
    updates = await asyncio.gather(*(wire.until_actions() for wire in wires))
    for guest, update in zip(guests, updates, strict=True):
        await guest.command(table, "act", move=update["actions"][0])


# who may


@pytest.mark.parametrize(
    "settings",
    [
        ServerSettings(port=0, operations_port=0),
        ServerSettings(port=0, operations_port=0, dev=True, hosts=("play.example.org",)),
        ServerSettings(port=0, operations_port=0, dev=True, public_url="http://play.example.org"),
        ServerSettings(port=0, operations_port=0, dev=True, trusted_proxies=("127.0.0.1",)),
        ServerSettings(port=0, operations_port=0, dev=True, origins=("https://example.org",)),
        ServerSettings(port=0, operations_port=0, dev=True, host="0.0.0.0"),  # noqa: S104
    ],
    ids=["without dev", "another name", "a public address", "behind a proxy", "other sites", "other machines"],
)
def test_a_server_that_is_not_for_its_own_machine_alone_shows_no_step_and_no_other_seat(
    settings: ServerSettings,
) -> None:
    async def main() -> None:
        async with site(settings) as here:
            here.url = f"http://127.0.0.1:{here.running.port}"
            ana = await here.register("Ana")
            table = await here.table(ana, bots=["random"])
            await ana.command(table, "start")
            for path in DEV_PATHS:
                assert await ana.refusal("GET", path.format(table=table)) == (403, "NotForAuthors")
            assert await ana.refusal("GET", "/api/dev/games") == (403, "NotForAuthors")
            assert await ana.refusal("POST", "/api/dev/tables", {"game": "e-card"}) == (403, "NotForAuthors")

    run(main())


def test_steps_and_seats_are_shown_only_to_the_one_person_at_the_table() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            shared = await here.table(ana, bo)
            await ana.command(shared, "start")
            own, (seat,) = await hot_seat(ana)
            for path in DEV_PATHS:
                assert await ana.refusal("GET", path.format(table=shared)) == (403, "NotAlone")
                assert await bo.refusal("GET", path.format(table=own)) == (403, "NotAlone")
                assert await seat.refusal("GET", path.format(table=own)) == (403, "NotAlone")
                assert await here.refusal("GET", path.format(table=own)) == (401, "NoToken")
                assert await ana.refusal("GET", path.format(table="none")) == (404, "NoSuchTable")

    run(main())


def test_a_companion_of_another_player_does_not_count_as_ones_own() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            _, (of_bo,) = await hot_seat(bo)
            table = await here.table(ana, of_bo)
            await ana.command(table, "start")
            for path in DEV_PATHS:
                assert await ana.refusal("GET", path.format(table=table)) == (403, "NotAlone")

    run(main())


# hot seat


def test_one_person_plays_all_seats_and_sees_each_step_and_each_seat() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table, (seat,) = await hot_seat(ana)
            await play_round(table, ana, seat)
            found = await ana.ask("GET", f"/api/dev/tables/{table}/steps")
            picks = [step for step in found["steps"] if step["event"]["type"] == "Pick"]
            assert [pick["event"]["player"] for pick in picks] == [ana.player, seat.player]
            assert picks[1]["hops"][0]["from"] == "Picking"
            assert {"type": "Tell"}.items() <= picks[1]["effects"][0].items()
            assert [step["number"] for step in found["steps"]] == list(range(1, len(found["steps"]) + 1))
            assert found["phase"] == found["steps"][-1]["hops"][-1]["to"]
            newest = await ana.ask("GET", f"/api/dev/tables/{table}/steps?after={len(found['steps']) - 1}")
            assert newest == {"steps": found["steps"][-1:], "phase": found["phase"]}

            sight = await ana.ask("GET", f"/api/dev/tables/{table}/seats")
            assert [each["name"] for each in sight["seats"]] == ["Ana", "Seat 2", "Spectators"]
            for guest, each in zip((ana, seat), sight["seats"], strict=False):
                assert each["update"] == await guest.ask("GET", f"/api/tables/{table}/view")
            assert sight["state"]["phase"] == found["phase"]

    run(main())


def test_a_lost_answer_is_asked_for_again_and_a_rematch_stays_with_the_same_person() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table, (seat,) = await hot_seat(ana, id="0123456789abcdef")
            assert (await hot_seat(ana, id="0123456789abcdef"))[0] == table
            await seat.command(table, "resign")
            for guest in (ana, seat):
                await guest.command(table, "rematch")
            status = await ana.ask("GET", f"/api/tables/{table}")
            while (next_table := status["status"]["successor"]) is None:
                await asyncio.sleep(0.01)
                status = await ana.ask("GET", f"/api/tables/{table}")
            assert (await ana.ask("GET", f"/api/dev/tables/{next_table}/steps"))["steps"] == []

    run(main())


def test_a_hot_seat_takes_bots_and_as_many_seats_as_the_game_has() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table, seats = await hot_seat(ana, "up-down", seats=2, bots=["random"])
            found = await ana.ask("GET", f"/api/tables/{table}")
            assert [each["player"] for each in found["status"]["seats"]] == [ana.player, "random 1", seats[0].player]
            assert found["status"]["settings"]["isListed"] is False
            few = {"game": "e-card", "seats": 3}
            assert await ana.refusal("POST", "/api/dev/tables", few) == (400, "InvalidPlayers")
            assert await ana.refusal("POST", "/api/dev/tables", {"game": "chess"}) == (404, "NoSuchGame")

    run(main())


# games from files


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with the game of docs/write-a-game.md, in which Python looks for modules only during the test."""
    path, modules = list(sys.path), set(sys.modules)
    (tmp_path / "undercut.py").write_text(FILES["undercut.py"], "utf-8")
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def author_of(file: Path) -> ServerSettings:
    return ServerSettings(port=0, operations_port=0, dev=True, game=(str(file),))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


class Watcher:
    """Hears of the games in development as the page does."""

    def __init__(self, here: Site) -> None:
        self.here = here
        self.seen: Any = None

    async def next(self) -> Any:
        """The one game, when something has changed."""
        before = self.seen
        while self.seen == before:
            await asyncio.sleep(0.05)
            self.seen = await self.here.ask("GET", "/api/dev/games")
        (game,) = self.seen["games"]
        return game


def test_a_game_in_a_file_is_loaded_again_when_the_file_changes_and_a_broken_one_changes_nothing(folder: Path) -> None:
    file = folder / "undercut.py"

    async def main() -> None:
        async with site(author_of(file)) as here:
            watcher = Watcher(here)
            assert await watcher.next() == {
                "name": "undercut", "title": "Undercut", "file": "undercut.py", "problem": None,
            }  # fmt: skip
            edit(file, 'title="Undercut"', 'title="Undercut!"')
            assert (await watcher.next())["title"] == "Undercut!"
            assert (await here.ask("GET", "/api/games/undercut"))["title"] == "Undercut!"

            edit(file, "ROUNDS = 4", "ROUNDS = = 4")
            line = file.read_text("utf-8").splitlines().index("ROUNDS = = 4") + 1
            problem = (await watcher.next())["problem"]
            assert problem == f"{file} cannot be loaded: undercut.py, line {line}: invalid syntax."
            assert (await here.ask("GET", "/api/games/undercut"))["title"] == "Undercut!"

            edit(file, "ROUNDS = = 4", "ROUNDS = 4 // 0")
            assert "ZeroDivisionError" in (await watcher.next())["problem"]
            edit(file, "ROUNDS = 4 // 0", "ROUNDS = 4")
            assert (await watcher.next())["problem"] is None

    run(main())
    assert "undercut" not in registry.names()


def test_a_match_goes_on_under_new_rules_that_lead_to_it_and_is_closed_with_a_reason_under_others(
    folder: Path,
) -> None:
    file = folder / "undercut.py"

    async def main() -> None:
        async with site(author_of(file)) as here:
            watcher, ana = Watcher(here), await here.register("Ana")
            await watcher.next()
            over, (seat,) = await hot_seat(ana, "undercut")
            await play_round(over, ana, seat)
            await seat.command(over, "resign")
            table, (seat,) = await hot_seat(ana, "undercut")
            await play_round(table, ana, seat)
            before = await ana.ask("GET", f"/api/tables/{table}/view")
            wire = await ana.hello(table)
            edit(file, "Lay one of your own numbers.", "This is not your number.")
            await watcher.next()
            assert await wire.closed() == 4200  # its client connects again at once
            assert await ana.ask("GET", f"/api/tables/{table}/view") == before
            strange = {"type": "Lay", "player": ana.player, "number": 99}
            with pytest.raises(AssertionError, match="This is not your number"):
                await ana.command(table, "act", move=strange)

            edit(file, "ROUNDS = 4", "ROUNDS = 3")
            await watcher.next()
            status = (await ana.ask("GET", f"/api/tables/{table}"))["status"]
            assert (status["phase"], status["result"]["how"]) == ("Closed", "halted")
            assert status["result"]["reason"].startswith("The rules of the game have changed")
            assert await ana.refusal("GET", f"/api/tables/{over}") == (409, "OtherVersion")
            assert await ana.refusal("GET", f"/api/dev/tables/{table}/steps") == (403, "NotAlone")

            table, _ = await hot_seat(ana, "undercut")
            edit(file, "version=1", "version=2")
            await watcher.next()
            status = (await ana.ask("GET", f"/api/tables/{table}"))["status"]
            assert "began under version 1 of undercut; here is version 2" in status["result"]["reason"]

    run(main())


def test_the_modules_beside_a_game_are_loaded_again_with_it(folder: Path) -> None:
    file, words = folder / "undercut.py", folder / "undercut_words.py"
    words.write_text('TITLE = "One"\n', "utf-8")
    text = file.read_text("utf-8").replace('title="Undercut"', "title=undercut_words.TITLE")
    file.write_text(
        text.replace("from enum import StrEnum", "from enum import StrEnum\nimport undercut_words"), "utf-8"
    )

    async def main() -> None:
        async with site(author_of(file)) as here:
            watcher = Watcher(here)
            assert (await watcher.next())["title"] == "One"
            words.write_text('TITLE = "Two"\n', "utf-8")
            assert (await watcher.next())["title"] == "Two"

    run(main())


def test_an_installed_game_is_loaded_again_with_its_study(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "undercut_study.py").write_text(FILES["undercut_study.py"], "utf-8")
    about = folder / "undercut-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: undercut\nVersion: 1.0\n", "utf-8")
    entries = "[turnstile.games]\nundercut = undercut:game\n[turnstile.studies]\nundercut = undercut_study:study\n"
    (about / "entry_points.txt").write_text(entries, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))

    async def main() -> None:
        async with ServerProcess(str(folder / "tables.db"), "--dev") as server, ClientSession(server.url) as client:

            async def title() -> tuple[str, list[str]]:
                async with client.get("/api/games/undercut") as answer:
                    game = await answer.json()
                    return game["title"], [bot["name"] for bot in game["bots"]]

            assert await title() == ("Undercut", ["search", "random"])
            edit(folder / "undercut.py", 'title="Undercut"', 'title="Undercut!"')
            while (await title())[0] == "Undercut":
                await asyncio.sleep(0.05)
            assert await title() == ("Undercut!", ["search", "random"])
            async with client.get("/api/dev/games") as answer:
                assert [game["file"] for game in (await answer.json())["games"]] == ["undercut.py"]

    asyncio.run(main())


def test_a_server_does_not_start_with_a_game_that_it_cannot_load(folder: Path) -> None:
    def starting(text: str) -> Server:
        store = MemoryStore(lambda: 0, Disk(), is_shared=False)
        return Server(Host(store), store.directory, ServerSettings(dev=True, game=(text,)))

    with pytest.raises(CannotLoad, match=r"There is no file .*absent\.py"):
        starting(str(folder / "absent.py"))
    with pytest.raises(CannotLoad, match="machine is not a Game"):
        starting(f"{folder}/undercut.py:machine")
    (folder / "json.py").write_text("", "utf-8")
    with pytest.raises(CannotLoad, match="A module named json exists already"):
        file_source(str(folder / "json.py"))
    with pytest.raises(InvalidSettings, match="add --dev"):
        check_settings(ServerSettings(game=("undercut.py",)))


def test_the_machine_of_a_game_is_public() -> None:
    async def main() -> None:
        async with site(ServerSettings(port=0, operations_port=0)) as here:
            machine = await here.ask("GET", "/api/games/e-card/machine")
            assert machine["start"] in [phase["name"] for phase in machine["phases"]]
            picking = next(phase for phase in machine["phases"] if phase["name"] == "Picking")
            row = next(row for row in picking["rows"] if row["event"] == "Pick")
            assert {change["to"] for change in row["changes"]} <= {phase["name"] for phase in machine["phases"]}
            assert row["rule"]
            assert machine["mermaid"].startswith("stateDiagram-v2")
            assert await here.refusal("GET", "/api/games/chess/machine") == (404, "NoSuchGame")

    run(main())
