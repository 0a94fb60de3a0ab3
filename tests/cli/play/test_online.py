"""A match at a table of a server, in the terminal."""

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
from turnstile.cli.play.online import unique_names

pytestmark = pytest.mark.uncounted

WHOLE_MATCH = "1\n" * 200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server."""
    with served(tmp_path_factory.mktemp("server")) as url:
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


def test_two_people_meet_by_an_invitation(server: str, tmp_path: Path) -> None:
    def start(name: str, *options: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "turnstile", "play", "e-card", "--name", name, *options]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / name), "COLUMNS": "80"}
        playing = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        assert playing.stdin is not None
        playing.stdin.write(WHOLE_MATCH.encode())
        playing.stdin.close()
        playing.stdin = None
        return playing

    ana = start("Ana", "--server", server, "--invite")
    told, link = b"", None
    assert ana.stdout is not None
    while link is None:
        told += os.read(ana.stdout.fileno(), 1000)
        link = re.search(rb"http\S+/table/\S+#invite=\S+\n", told)
    bo = start("Bo", "--join", link[0].decode().strip())
    for playing, other in ((ana, "Bo"), (bo, "Ana")):
        out, errors = playing.communicate()
        assert playing.returncode == 0, errors
        assert f"against {other}." in out.decode()
        assert re.search(rf"(You win|{other} wins) the match", out.decode())


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


def test_every_player_has_a_name_of_its_own() -> None:
    assert unique_names({"p-1": "Ana (2)", "p-2": "Ana", "p-3": "Ana", "p-4": "Bo"}) == {
        "p-1": "Ana (2)",
        "p-2": "Ana",
        "p-3": "Ana (3)",
        "p-4": "Bo",
    }
    assert unique_names({"p-1": "Ana", "p-2": "Ana", "p-3": "Ana (2)"})["p-3"] == "Ana (2) (2)"
