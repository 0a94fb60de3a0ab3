"""A match at a table of a server, in the terminal."""

import asyncio
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from tests.server.processes import served
from turnstile.cli.play.online import Background, OnlineMatch, Wish, unique_names
from turnstile.client import Client, Invitation, Notice
from turnstile.registry import find_game

pytestmark = pytest.mark.uncounted

WHOLE_MATCH = "1\n" * 200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server. More people come to it from one address than it would register by default."""
    with served(tmp_path_factory.mktemp("server"), "--limit-factor", "10") as url:
        yield url


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for the user's settings."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "turnstile"


@pytest.mark.parametrize("game", ["e-card", "up-down", "66", "even-odd"])
def test_a_whole_match_against_a_bot_of_the_server(turnstile: Turnstile, server: str, game: str) -> None:
    ran = turnstile("play", game, "--server", server, "--bot", "random", "--name", "Ana", given=WHOLE_MATCH)
    assert ran.status == 0, ran.err
    assert "against random 1. ? shows the rules, q leaves." in ran.out
    assert "The table has committed to its seed" in ran.out
    if game in ("e-card", "even-odd"):
        assert re.search(r"\bwins?: (you|random 1) \d+, ", ran.out)
        assert "The seed was" in ran.out
    assert not re.search(r"p-[0-9a-f]{20}", ran.out), "players have names"


def test_who_leaves_comes_back_to_the_match_with_the_same_command(turnstile: Turnstile, server: str) -> None:
    command = ("play", "e-card", "--server", server, "--bot", "random")
    first = turnstile(*command, given="1\nq\n")
    assert first.status == 0
    assert "The match is kept: the same command comes back to it." in first.out
    second = turnstile(*command, given=WHOLE_MATCH)
    assert "You come back to your table." in second.out
    assert "The seed was" in second.out
    assert "You come back" not in turnstile(*command, given="q\n").out
    assert "You come back" not in turnstile(*command, "--new", given="q\n").out


def test_the_token_is_kept_in_a_file_that_only_the_user_can_read(
    turnstile: Turnstile, server: str, config: Path
) -> None:
    turnstile("play", "e-card", "--server", server, given="q\n")
    file = config / "servers.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    tokens = json.loads(file.read_text())
    assert list(tokens) == [server]
    turnstile("play", "even-odd", "--server", f"{server}/", given="q\n")
    assert json.loads(file.read_text()) == tokens, "the same player"
    file.write_text(json.dumps({server: "void"}))
    assert turnstile("play", "e-card", "--server", server, given="q\n").status == 0
    assert json.loads(file.read_text()) != tokens, "a new player, because the token was void"


def test_the_record_of_a_match_can_be_written(turnstile: Turnstile, server: str, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    turnstile("play", "e-card", "--server", server, "--bot", "random", "--record", path, given=WHOLE_MATCH)
    assert turnstile("verify", path).status == 0


class Person:
    """Plays in a process with a folder for settings of its own."""

    def __init__(self, name: str | None, folder: Path, *options: str, game: str = "e-card") -> None:
        named = [] if name is None else ["--name", name]
        words = [sys.executable, "-m", "turnstile", "play", game, *named, *options]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "COLUMNS": "80"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
        self.link = options[-1]
        self._told = b""

    def say(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def until(self, pattern: str) -> str:
        """Read until this was printed."""
        assert self.process.stdout is not None
        while (found := re.search(pattern.encode(), self._told)) is None:
            read = os.read(self.process.stdout.fileno(), 1000)
            assert read, self._told.decode()
            self._told += read
        self._told = self._told[found.end() :]
        return found[0].decode()

    def end(self) -> int:
        """The status with which the process ends."""
        self.process.communicate()
        return self.process.returncode


def two_people(server: str, folder: Path) -> tuple[Person, Person]:
    """Ana invites Bo, who follows her link."""
    ana = Person("Ana", folder / "ana", "--server", server, "--invite")
    link = ana.until(r"http\S+/table/\S+#invite=\S+\n").strip()
    return ana, Person("Bo", folder / "bo", "--join", link)


def test_two_people_meet_by_an_invitation(server: str, tmp_path: Path) -> None:
    people = two_people(server, tmp_path)
    for person in people:
        person.say(WHOLE_MATCH)
        assert person.process.stdin is not None
        person.process.stdin.close()
        person.process.stdin = None
    for playing, other in zip((each.process for each in people), ("Bo", "Ana"), strict=True):
        out, errors = playing.communicate()
        assert playing.returncode == 0, errors
        assert f"against {other}." in out.decode()
        assert re.search(rf"(You win|{other} wins) the match", out.decode())


def test_it_is_said_that_the_other_player_has_left_and_come_back(
    turnstile: Turnstile, server: str, tmp_path: Path
) -> None:
    ana, bo = two_people(server, tmp_path)
    ana.until("> ")
    ana.say("2\n")
    bo.until("> ")
    bo.say("q\n")
    assert bo.end() == 0
    ana.until("Bo has left the table\\.")
    late = turnstile("play", "e-card", "--join", bo.link)
    assert (late.status, late.out) == (2, "")
    assert "This table takes no more players." in late.err
    back = Person("Bo", tmp_path / "bo", "--server", server)
    ana.until("Bo is back\\.")
    for person in (ana, back):
        person.process.send_signal(signal.SIGINT)
        assert person.end() == 130


def test_an_invitation_does_not_come_back_to_a_match_against_bots(server: str, tmp_path: Path) -> None:
    online = ("--server", server)
    against_a_bot = Person("Ana", tmp_path, *online)
    against_a_bot.until("> ")
    against_a_bot.say("q\n")
    assert against_a_bot.end() == 0
    for printed in ("#invite=", "Its link was shown when you opened it; --new opens another table\\."):
        inviting = Person("Ana", tmp_path, *online, "--invite")
        inviting.until(printed)
        inviting.until("Waiting for 1 more to join")
        inviting.process.send_signal(signal.SIGINT)
        assert inviting.end() == 130


def test_ctrl_c_leaves_cleanly(server: str) -> None:
    words = [sys.executable, "-m", "turnstile", "play", "e-card", "--server", server]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as playing:
        assert playing.stdout is not None
        assert playing.stderr is not None
        told = b""
        while b"> " not in told:
            told += os.read(playing.stdout.fileno(), 1000)
        playing.send_signal(signal.SIGINT)
        told += playing.stdout.read()
        assert playing.stderr.read() == b""
        assert playing.wait() == 130
    assert b"You leave the table." in told


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--server", "http://127.0.0.1:1"), "http://127.0.0.1:1 cannot be reached"),
        (("--server", "127.0.0.1:1"), "it looks like http://localhost:8000"),
        (("--join", "http://127.0.0.1:1"), "is not an invitation"),
        (("--table", "x"), "--table, --invite and --new need a --server."),
        (("--server", "SERVER", "--table", "x"), "There is no such table."),
        (("--server", "SERVER", "--seed", "x"), "The server draws the seed: leave --seed out."),
        (("--server", "SERVER", "--players", "5"), "This game takes 2 players, not 5."),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    turnstile: Turnstile, server: str, options: tuple[str, ...], sentence: str
) -> None:
    ran = turnstile("play", "e-card", *[server if word == "SERVER" else word for word in options])
    assert ran.status == 2
    assert sentence in ran.err


def test_a_lost_connection_is_told_once_however_often_it_is_tried_again(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    game = find_game("e-card")
    assert game is not None
    wish = Wish(game, server, None, None, "Ana", 2, "random", "{}", is_invitation=False, is_new=False, path=None)
    with Background() as background:
        match = OnlineMatch(wish, server, None, background)

        async def hear(*notices: Notice) -> None:
            async with Client(server) as client:
                for notice in notices:
                    match._hear(client.watch("table"), notice)

        background.call(hear(Notice.CONNECTED, *[Notice.LOST] * 3, Notice.CONNECTED, Notice.STATUS))
        assert capsys.readouterr().out == "The connection is lost; trying again.\nConnected again.\n"


@pytest.mark.parametrize(
    ("is_closed", "sentence"),
    [(True, "The table was closed before the match."), (False, "You were removed from the table.")],
)
def test_it_is_said_why_a_match_does_not_start(server: str, tmp_path: Path, is_closed: bool, sentence: str) -> None:
    async def main() -> None:
        async with Client(server) as client:
            ana = await client.register("Ana")
            table = await ana.create_table("e-card")
            bo = Person(
                "Bo", tmp_path, "--server", server, "--table", table.table, "--record", str(tmp_path / "record")
            )
            bo.until("Waiting for the match to start\\.\n")
            _, seat = (await ana.status(table)).seats
            await (ana.close(table) if is_closed else ana.remove(table, seat.player))
            told, errors = await asyncio.to_thread(bo.process.communicate, timeout=60)
            assert told.decode().splitlines()[-1] == sentence, errors
            assert bo.process.returncode == 0

    asyncio.run(main())


def test_a_player_who_invites_several_hears_of_each_who_joins(server: str, tmp_path: Path) -> None:
    async def main() -> None:
        ana = Person("Ana", tmp_path, "--server", server, "--invite", "--players", "3", game="up-down")
        link = ana.until(r"http\S+/table/\S+#invite=\S+\n").strip()
        ana.until("Waiting for 2 more to join\\.\n")
        async with Client(server) as client:
            bo, cy = await client.register("Bo"), await client.register("Cy")
            await bo.join(Invitation.of(link))
            assert await asyncio.to_thread(ana.until, ".*\\.") == "Waiting for 1 more to join."
            await bo.leave(Invitation.of(link).table)
            await asyncio.to_thread(ana.until, "Waiting for 2 more to join\\.\n")
            for each in (cy, bo):
                await each.join(Invitation.of(link))
            assert "against" in await asyncio.to_thread(ana.until, "Up-Down .*\\. ")
        leave(ana)

    asyncio.run(main())


def opponent(person: Person) -> str:
    return person.until(r"E-Card against .*\. \?")[len("E-Card against ") : -len(". ?")]


def leave(*people: Person) -> None:
    for person in people:
        person.process.send_signal(signal.SIGINT)
        assert person.end() == 130


def test_others_see_the_name_that_was_given_last_and_never_you(server: str, tmp_path: Path) -> None:
    """The player of a terminal is "you" there, and on the server a player with a name."""
    first = Person(None, tmp_path / "ana", "--server", server)
    told = re.match(r"Others see you as (Guest \d{4}); --name gives you another name\.", first.until("(?s).*> "))
    assert told is not None
    leave(first)
    ana = Person(None, tmp_path / "ana", "--server", server, "--invite")
    bo = Person("You", tmp_path / "bo", "--join", ana.until(r"http\S+/table/\S+#invite=\S+\n").strip())
    assert (opponent(bo), opponent(ana)) == (told[1], "You (2)")
    leave(ana, bo)
    ana = Person("Ana", tmp_path / "ana", "--server", server, "--invite", "--new")
    bo = Person(None, tmp_path / "bo", "--join", ana.until(r"http\S+/table/\S+#invite=\S+\n").strip())
    assert opponent(bo) == "Ana"
    leave(ana, bo)


def test_every_player_has_a_name_of_its_own() -> None:
    assert unique_names({"p-1": "Ana (2)", "p-2": "Ana", "p-3": "Ana", "p-4": "Bo"}) == {
        "p-1": "Ana (2)",
        "p-2": "Ana",
        "p-3": "Ana (3)",
        "p-4": "Bo",
    }
    assert unique_names({"p-1": "Ana", "p-2": "Ana", "p-3": "Ana (2)"})["p-3"] == "Ana (2) (2)"
    assert unique_names({"p-1": "you", "p-2": "You"})["p-2"] == "You (2)"
