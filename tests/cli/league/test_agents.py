"""`turnstile league`: agents as processes, what they say when they are ready, and what they exit with."""

import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import aiohttp
import pytest
from click.testing import CliRunner

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.loops import until
from tests.agents.processes import AgentProcess
from tests.cli.conftest import Ran, Turnstile
from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.process.process import CannotStart, Settings
from turnstile.cli.main import turnstile as command
from turnstile.league.manager.state import Options
from turnstile.league.protocol.words import LeagueId
from turnstile.store.opening import open_store
from turnstile.store.protocol import InUse, Store
from turnstile.store.sqlite.files import FileLock

NOBODY = "http://127.0.0.1:1/mcp"
SIXTY_SIX = (
    "Invalid strategy 'always:even' for 66. Choose one of: random, bot, bot:attentive, bot:search, bot:random, "
    "python:MODULE:FUNCTION, command:PROGRAM."
)


@pytest.mark.parametrize("agent", ["manager", "referee", "player"])
def test_help_teaches(turnstile: Turnstile, agent: str) -> None:
    said = turnstile("league", agent, "--help")
    assert said.status == 0
    for option in ("--port", "--data", "--time-scale", "--log-format", "--json"):
        assert option in said.out


def test_a_player_that_cannot_register_exits_with_1_and_a_sentence(turnstile: Turnstile, tmp_path: Path) -> None:
    said = turnstile(
        *("league", "player", "--port", "0", "--manager", NOBODY, "--time-scale", "0.02", "--data", str(tmp_path)),
        *("--log-file", str(tmp_path / "log")),
    )
    sentence = f"turnstile: Failed to register with League Manager at {NOBODY}: no connection can be made.\n"
    assert (said.status, said.err) == (1, sentence)
    assert (tmp_path / "state" / "player-player.db").exists(), "started again with --port 0, it is the same player"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["player", "--strategy", "guess"], "There is no strategy 'guess'"),
        (["manager", "--player", "Juniper"], "Invalid --player 'Juniper': give NAME=URL."),
        (["manager", "--player", "Juniper=http://10.0.0.1/mcp"], "The player Juniper cannot be called"),
        (["manager", *(2 * ["--player", f"Juniper={NOBODY}"])], "The player Juniper cannot take part: Duplicate name."),
        (["manager", "--admin-token", ""], "An empty token or key would admit everyone"),
        (["manager", "--referee-key", ""], "An empty token or key would admit everyone"),
        (["player", "--time-scale", "2"], "--time-scale"),
        (["player", "--store", "/nowhere/at/all/player.db"], "/nowhere/at/all"),
        (["player", "--strategy", "python:nowhere_at_all:choose"], "ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_run_is_one_sentence_and_2(
    turnstile: Turnstile, tmp_path: Path, words: list[str], sentence: str
) -> None:
    said = turnstile("league", *words, "--port", "0", "--data", str(tmp_path), "--log-file", str(tmp_path / "log"))
    assert said.status == 2
    assert sentence in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["manager", "--players", "5", "--most-players", "3"],
            "--players 5 is more than --most-players 3",
        ),
        (["manager", "--league", "../evil"], "Invalid league id '../evil': use at most 100 letters, digits"),
        (
            ["run", "--report", "somewhere.html"],
            "--report needs --in-process; without it",
        ),
        (["run", "--time-scale", "nan"], "nan is not a number; give one such as 0.1."),
        (["run", "--time-scale", "inf"], "inf is not in the range 0<x<=1."),
        (["player", "--time-scale", "-nan"], "nan is not a number; give one such as 0.1."),
        (["run", "--league", ".."], "Invalid league id '..': use at most 100 letters, digits"),
        (["player", "--host", "0.0.0.0"], "Others cannot call 0.0.0.0: add --endpoint with the URL"),  # noqa: S104
        (["referee", "--host", "::"], "Others cannot call ::: add --endpoint with the URL at which they reach"),
        (["player", "--name", "x" * 65], "give at most 64 printable characters."),
        (["referee", "--name", "Whistle\u202e"], "Invalid name 'Whistle\\u202e'"),
        (["player", "--name", "a\tb"], "Invalid name 'a\\tb'"),
        (["player", "--allow", "bad host!!"], "Invalid host or network 'bad host!!'"),
        (["player", "--allow", "10.0.0.1/8"], "Invalid host or network '10.0.0.1/8'"),
        (["player", "--manager", "localhost:9499"], "give it as http://HOST:PORT/mcp."),
        (["referee", "--manager", "http://localhost:9499"], "does not end in /mcp"),
        (["referee", "--manager", "http://10.0.0.1:8000/mcp"], "The manager cannot be called at http://10.0.0.1"),
        (["player", "--endpoint", "http://localhost:9499/"], "does not end in /mcp"),
        (["run", "--strategy", "python:json:nothing"], "AttributeError"),
        (["run", "--strategy", "command:./nowhere --fast"], "there is no executable program './nowhere'."),
        (["run", "--game", "66", "--strategy", "random", "--strategy", "always:even"], SIXTY_SIX),
        (["run", "--game", "66", "--in-process", "--strategy", "history"], "Invalid strategy 'history' for 66. "),
        (["run", "--game", "66", "--strategy", "bot:equilibrium"], "Invalid strategy 'bot:equilibrium' for 66. "),
        (["run", "--strategy", "bot"], "Invalid strategy 'bot' for even_odd. Choose one of: random, always:even, "),
        (["run", "--in-process", "--strategy", "command:cat"], "'command:cat' cannot be used within one process"),
    ],
)
def test_options_that_cannot_work_are_refused_at_once(tmp_path: Path, words: list[str], sentence: str) -> None:
    """Before any process is started, so that none is needed to try it."""
    said = CliRunner().invoke(command, ["league", *words, "--data", str(tmp_path)])
    assert (said.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert sentence in said.output


LEAVES = """
import sys
print("I am a program")
def choose(known):
    return "odd"
sys.exit()
"""


WAITS = """
from functools import partial

async def choose(known):
    return "odd"

async def streams(known):
    yield "odd"

bound = partial(choose)

class Asked:
    async def __call__(self, known):
        return "odd"

Strategy = Asked()
"""


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        (
            "python:leaves:choose",
            "ends the program when it is imported: guard what it does as a program with if __name__",
        ),
        ("python:ends:choose", "its import ends the program with status 0"),
        ("python:waits:choose", "it is an async def: make it a plain def, which may call asyncio.run itself"),
        ("python:waits:bound", "it is an async def"),
        ("python:waits:Strategy", "it is an async def"),
        ("python:waits:streams", "it is an async def"),
        ("python:leaves", "'python:leaves' is incomplete: give python:MODULE:FUNCTION."),
        ("command:./leaves.py", "'./leaves.py' is not executable; use chmod +x, or name its interpreter"),
    ],
)
@pytest.mark.parametrize("how", [[], ["--in-process"]])
def test_a_strategy_that_cannot_choose_is_refused_before_a_league_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str, sentence: str, how: list[str]
) -> None:
    (tmp_path / "leaves.py").write_text(LEAVES)
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "ends.py").write_text("import os\nos._exit(0)\n")
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(command, ["league", "run", *how, "--strategy", strategy, "--data", "kept"])
    assert (said.exit_code, Path("kept").exists()) == (2, False)
    assert sentence in said.output
    assert "I am a program" not in said.output


def test_a_port_that_is_taken_is_one_sentence(program: Turnstile, tmp_path: Path) -> None:
    async def play() -> None:
        async with AgentProcess(tmp_path, "manager") as manager:
            port = str(manager.ready["port"])
            said = program("league", "player", "--port", port, "--data", str(tmp_path / "other"), "--manager", NOBODY)
            assert said.status == 2
            assert said.err == f"turnstile: 127.0.0.1:{port} cannot be listened on: Address already in use.\n"

    run(play())


def test_two_agents_of_one_name_do_not_share_a_log(program: Turnstile, tmp_path: Path) -> None:
    async def play() -> None:
        async with AgentProcess(tmp_path, "manager"):
            said = program("league", "manager", "--port", "0", "--data", str(tmp_path))
            assert said.status == 2
            assert said.err.startswith("turnstile: The log of the manager league_2025_even_odd cannot be opened: ")
            assert "is in use by another server" in said.err
            assert len(said.err.splitlines()) == 1

    run(play())


def test_an_agent_says_when_it_is_ready_and_stops_in_good_order(tmp_path: Path) -> None:
    async def play() -> None:
        for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
            async with AgentProcess(tmp_path, "manager", "--log-format", "json") as manager:
                ready = manager.ready
                assert (ready["role"], ready["name"]) == ("manager", "league_2025_even_odd")
                assert ready["endpoint"] == f"http://127.0.0.1:{ready['port']}/mcp"
                health = ready["endpoint"].replace("/mcp", "/health")
                async with aiohttp.ClientSession() as session, session.get(health) as answer:
                    assert (await answer.json())["status"] == "ok"
                manager.signal(number)
                assert await manager.ended() == status

    run(play())


@contextmanager
def launched(folder: Path) -> Iterator[Popen[bytes]]:
    """An agent whose launcher is the test; it does not outlive it in any case."""
    words = ("manager", "--port", "0", "--data", str(folder), "--json", "--with-launcher")
    command = [sys.executable, "-W", "error", "-m", "turnstile", "league", *words]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as agent:
        try:
            yield agent
        finally:
            agent.kill()


def test_A14_an_agent_ends_with_its_launcher(tmp_path: Path) -> None:
    with launched(tmp_path) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        assert json.loads(agent.stdout.readline())["role"] == "manager"
        agent.stdin.close()
        assert agent.wait(20) == 0


def test_A14_an_agent_whose_launcher_dies_before_it_is_ready_ends_without_a_word(tmp_path: Path) -> None:
    with launched(tmp_path) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        assert agent.stderr is not None
        agent.stdin.close()
        agent.stdout.close()
        said = agent.stderr.read().decode()
        assert (agent.wait(20), "Traceback" in said, "BrokenPipe" in said) == (0, False, False)


def test_A14_an_agent_waits_for_the_store_of_the_one_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one before it lets go after the first try. Who has no patience has given up by then."""
    path = tmp_path / "manager.db"

    async def play(patience: float) -> None:
        before = FileLock(path)

        async def opened(name: str) -> Store:
            try:
                return await open_store(name)
            except InUse:
                before.let_go()
                raise

        monkeypatch.setattr("turnstile.agents.process.process.open_store", opened)
        stop = asyncio.Event()
        settings = Settings(name="any", data=tmp_path, store=str(path), patience=patience)
        await ManagerProcess(settings, Options(league_id=LeagueId("any"))).run(stop, lambda ready: stop.set())

    run(play(60))
    with pytest.raises(CannotStart, match="is in use by another server"):
        run(play(0))


def test_a_log_for_programs_is_a_line_of_json_each(turnstile: Turnstile, tmp_path: Path) -> None:
    turnstile(
        *("league", "player", "--port", "0", "--manager", NOBODY, "--time-scale", "0.01", "--data", str(tmp_path)),
        *("--log-format", "json", "--log-file", str(tmp_path / "log")),
    )
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {line["kind"] for line in lines} == {"transition", "sent", "failed"}


def test_a_log_file_is_readable_by_its_owner_alone(turnstile: Turnstile, tmp_path: Path) -> None:
    turnstile(
        *("league", "player", "--port", "0", "--manager", NOBODY, "--time-scale", "0.01", "--data", str(tmp_path)),
        *("--log-file", str(tmp_path / "log")),
    )
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def test_a_league_that_waits_is_begun_by_a_command(turnstile: Turnstile, tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager()

            async def said(*words: str) -> Ran:
                return await asyncio.to_thread(turnstile, "league", *words, "--manager", manager.endpoint)

            waiting = await said("status", "--json")
            assert json.loads(waiting.out) | {"standings": ()} == {
                "league_id": "league_2025_even_odd",
                "progress": "pending",
                "rounds_completed": 0,
                "total_rounds": 0,
                "matches_completed": 0,
                "total_matches": 0,
                "standings": (),
                "waits_for": "2 more players and a referee",
            }
            refused = await said("start")
            assert (refused.status, refused.err) == (
                1,
                "turnstile: The league does not start: A league needs at least two players.\n",
            )
            agents = [await here.player("Juniper"), await here.player("Sorrel")]
            await until(lambda: len(manager.host.work.state.players) == 2)
            assert "The league waits for a referee.\n" in (await said("status")).out
            without = await said("start")
            assert "A league needs a referee; none has registered." in without.err
            agents.append(await here.referee())
            await until(lambda: len(manager.host.work.state.referees) == 1)
            wrong = await said("start", "--league", "another")
            assert wrong.status == 1
            assert "This is the manager of league_2025_even_odd." in wrong.err
            assert json.loads((await said("status", "--json")).out)["progress"] == "pending"
            begun = await said("start")
            assert (begun.status, begun.out) == (0, "league_2025_even_odd is running: round 1 of 1.\n")
            await asyncio.gather(*(agent.ended() for agent in agents))
            assert json.loads((await said("status", "--json")).out)["progress"] == "completed"
            over = await said("start")
            assert (over.status, over.out) == (1, "")
            assert over.err == "turnstile: The league does not start: league_2025_even_odd is over.\n"

    run(play())


def test_A6_a_referee_without_the_key_exits_with_1_and_a_sentence(program: Turnstile, tmp_path: Path) -> None:
    async def play() -> None:
        async with AgentProcess(tmp_path, "manager", "--referee-key", "open sesame") as manager:
            said = program(
                *("league", "referee", "--port", "0", "--manager", manager.ready["endpoint"], "--key", "sesame"),
                *("--data", str(tmp_path / "referee"), "--log-file", str(tmp_path / "log")),
            )
            sentence = "Registration was rejected: Referees of this league must show its key."
            assert (said.status, said.err) == (1, f"turnstile: {sentence}\n")
            assert "sesame" not in (tmp_path / "log").read_text()

    run(play())
