"""Strategies: what the built-in ones choose, and that one of somebody else's costs its choice at most."""

import asyncio
import os
import resource
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvloop
from msgspec import Raw
from msgspec.structs import replace

from tests.agents.agents_in_process import run
from tests.agents.loops import until
from turnstile.agents.strategies.program import CUT, MOST_BYTES, Failed
from turnstile.agents.strategies.strategies import Choice, UnknownStrategy, default_of, find_strategy, read_choice
from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import PlayerId
from turnstile.league.player.state import AskedMove, OwnResult, PlayedMatch, Question
from turnstile.league.protocol.values import MoveContext, MoveRequest, Tally
from turnstile.league.protocol.words import MatchId

SEED = Seed("a seed")
FULLWIDTH = "".join(chr(ord(letter) + 0xFEE0) for letter in "even")
EVEN, ODD = Parity.EVEN, Parity.ODD


def question(*opponents: str, match: str = "R1M1", against: str = "P02") -> Question:
    """What a player is asked that has met these choices of its opponent."""
    history = tuple(
        PlayedMatch(
            match_id=MatchId(f"R{number}M1"),
            round_id=number,
            opponent_id=PlayerId(against),
            result=OwnResult.WIN,
            opponent_choice=Parity(choice),
        )
        for number, choice in enumerate(opponents)
    )
    return Question(
        match_id=MatchId(match),
        round_id=9,
        player_id=PlayerId("P01"),
        opponent_id=PlayerId("P02"),
        standings=(),
        statistics=Tally(),
        history=history,
    )


def chosen(strategy: str, asked: Question | None = None, seed: Seed = SEED) -> Parity:
    return run(find_strategy(strategy, seed)(asked or question()))  # type: ignore[arg-type]


def test_always_is_always_the_same() -> None:
    assert [chosen("always:even"), chosen("always:odd")] == [EVEN, ODD]


def test_alternating_goes_by_the_number_of_matches() -> None:
    """Of all matches: a player remembers only the latest of them."""
    asked = [replace(question(), statistics=Tally(wins=98, draws=count, losses=2)) for count in range(4)]
    assert [chosen("alternating", each) for each in asked] == [EVEN, ODD, EVEN, ODD]


def test_history_takes_the_other_side_than_the_opponent_mostly_does() -> None:
    assert chosen("history", question("even", "even", "odd")) is ODD
    assert chosen("history", question("odd")) is EVEN
    assert chosen("history", question("odd", "odd", against="P03")) is chosen("random")


def test_random_is_the_same_with_the_same_seed_and_either_over_time() -> None:
    matches = [question(match=f"R{number}M1") for number in range(40)]
    once = [chosen("random", each) for each in matches]
    assert once == [chosen("random", each) for each in matches]
    assert {*once} == {EVEN, ODD}
    assert once != [chosen("random", each, Seed("another")) for each in matches]


WRONG = [
    "",
    "always",
    "always:seven",
    "python",
    "python:module",
    "python::f",
    "python:a:b:c",
    "command:",
    "command: ",
    'command:"',
]


@pytest.mark.parametrize(
    ("name", "form"), [("python:strat", "python:MODULE:FUNCTION"), ("command:", "command:PROGRAM")]
)
def test_a_strategy_of_ones_own_that_is_half_a_name_is_told_the_form(name: str, form: str) -> None:
    with pytest.raises(UnknownStrategy, match=f"^'{name}' is incomplete: give {form}\\.$"):
        find_strategy(name, SEED)


@pytest.mark.parametrize("name", WRONG)
def test_a_strategy_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(UnknownStrategy):
        find_strategy(name, SEED)


# of one's own


@pytest.mark.parametrize(("function", "choice"), [("at_once", ODD), ("chatter", ODD), ("known", ODD)])
def test_a_function_of_ones_own_is_asked(function: str, choice: Parity) -> None:
    assert chosen(f"python:tests.agents.waiting:{function}") is choice


@pytest.mark.parametrize("function", ["crash", "rubbish", "missing"])
def test_a_function_that_fails_costs_its_choice(function: str) -> None:
    with pytest.raises(Failed):
        chosen(f"python:tests.agents.waiting:{function}")


@pytest.mark.parametrize(
    "command",
    [
        "no-such-program",
        "true",
        "false",
        "echo seven",
        "echo",
        "sh -c 'kill -9 $$'",
        "head -c 100000 /dev/zero",
        "yes yes",
    ],
)
def test_a_program_that_fails_costs_its_choice(command: str) -> None:
    with pytest.raises(Failed):
        chosen(f"command:{command}")


@contextmanager
def no_more_files() -> Iterator[None]:
    """Within this nothing more can be opened."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    next_one = os.dup(0)
    os.close(next_one)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_one, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


def test_a_program_for_which_no_file_can_be_opened_costs_its_choice() -> None:
    async def ask() -> None:
        with no_more_files(), pytest.raises(Failed, match=r"^echo cannot be started: Too many open files\.$"):
            await find_strategy("command:echo odd", SEED)(question())

    run(ask())


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("nothing", r"this one returned None: is there a return missing\?$"),
        ("other_key", r"""says "even" or "odd", or \{"choice": "even"\}; this one said '\{"parity": "odd"\}'\.$"""),
        ("coroutine", r"^it is an async def: make it a plain def, which may call asyncio\.run itself$"),
        ("no_json", r'^it must return "even", "odd" or a move, not object$'),
        ("leaves", r"^it ends the program \(sys\.exit\) instead of returning a choice$"),
        ("raises", r"^KeyError: 'no such thing'$"),
        ("missing", r"^AttributeError: module 'tests\.agents\.waiting' has no attribute 'missing'$"),
        ("crash", r"^python:tests\.agents\.waiting:crash was ended by signal 6, and said nothing\.$"),
    ],
)
def test_whoever_wrote_a_function_reads_what_is_wrong_with_it(function: str, why: str) -> None:
    with pytest.raises(Failed, match=why):
        chosen(f"python:tests.agents.waiting:{function}")


@pytest.mark.parametrize("command", ["echo odd", "echo ' Odd '", """echo '{"choice": "odd"}'"""])
def test_a_program_says_its_choice_in_a_line(command: str) -> None:
    assert chosen(f"command:{command}") is ODD


def test_a_program_is_given_what_the_player_knows(tmp_path: Path) -> None:
    script = (
        "import json, sys; asked = json.loads(sys.stdin.read()); print('odd' if asked['match_id'] == 'R1M1' else '')"
    )
    assert chosen(f'command:{sys.executable} -c "{script}"') is ODD


def test_a_program_that_hangs_is_killed_with_all_it_has_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 1000 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; wait"

    async def hang() -> list[int]:
        asked = asyncio.ensure_future(find_strategy(f"command:sh -c {shlex.quote(script)}", SEED)(question()))
        await until(pids.exists)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        started = [int(pid) for pid in pids.read_text().split()]
        await until(lambda: not any(map(is_running, started)))  # a grandchild is reaped by whoever adopts it
        return started

    assert len(run(hang())) == 2


def heard(strategy: str) -> tuple[Choice, str]:
    """What a strategy chooses, and what it says beside that."""
    asides: list[str] = []
    choice: Choice = run(
        find_strategy(strategy, SEED, lambda said, _: asides.append(said))(question())  # type: ignore[arg-type]
    )
    (said,) = asides
    return choice, said


def test_what_a_program_says_on_standard_error_is_heard() -> None:
    assert heard("command:sh -c 'echo hm >&2; echo odd'") == (ODD, "hm\n")
    assert heard("command:echo odd") == (ODD, "")


def test_R7_who_never_stops_talking_is_heard_for_a_while_and_has_its_choice() -> None:
    script = "yes >&2 & sleep 0; echo odd; wait"
    choice, said = heard(f"command:sh -c {shlex.quote(script)}")
    assert choice is ODD
    assert len(said) <= MOST_BYTES + len(CUT) + 2
    script = f"head -c {2 * MOST_BYTES} /dev/zero >&2; echo odd"  # more than a pipe holds, and it waits for its reader
    choice, said = heard(f"command:sh -c {shlex.quote(script)}")
    assert (choice, said) == (ODD, "\0" * MOST_BYTES + f"\n{CUT}\n")


def test_who_has_got_away_with_the_pipe_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ > {pid}; exec sleep 1000' & while ! [ -s {pid} ]; do :; done; echo odd"
    try:
        assert heard(f"command:sh -c {shlex.quote(script)}") == (ODD, "")
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


def test_a_question_may_be_dropped_at_any_moment() -> None:
    """Whatever loop it is asked in: while the program starts, while it thinks, while it answers."""

    async def drop(after: int) -> None:
        asked = asyncio.ensure_future(find_strategy("command:echo odd", SEED)(question()))
        for _ in range(after):
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        assert asked.cancelled() or asked.result() is ODD

    for make in (asyncio.new_event_loop, uvloop.new_event_loop):
        with asyncio.Runner(loop_factory=make) as runner:
            for after in range(60):
                runner.run(drop(after))


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    "answer", [b"even", b" EVEN \r\n", b'"even"', b'{"choice": "Even"}', b'{"parity_choice": "even"}']
)
def test_a_choice_may_be_written_in_several_ways(answer: bytes) -> None:
    assert read_choice(answer) is EVEN


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff",
        b"{",
        b"[]",
        b"evenodd",
        b'{"choice": 1}',
        b'{"choice": null}',
        b'{"choice": ["even"]}',
        b"null",
        FULLWIDTH.encode(),
        b"e\0ven",
    ],
)
def test_A17_anything_else_is_none(answer: bytes) -> None:
    with pytest.raises(Failed):
        read_choice(answer)


# moves of other games

OPTIONS = tuple(Raw(f'{{"type":"Pick","player":"P01","card":"{card}"}}'.encode()) for card in "ECS")


def asked(view: bytes = b"{}") -> Question:
    """A question for a move, with three options."""
    context = MoveContext(opponent_id=PlayerId("P02"), round_id=1, view=Raw(view))
    request = MoveRequest(move_type="Pick", valid_options=OPTIONS, context=context)
    return replace(question(), move=AskedMove(number=4, game_type="e-card", request=request))


def moved(strategy: str, about: Question | None = None) -> bytes:
    made: Choice = run(find_strategy(strategy, SEED)(about or asked()))  # type: ignore[arg-type]
    assert isinstance(made, Raw)
    return bytes(made)


@pytest.mark.parametrize("strategy", ["random", "always:odd", "alternating", "history"])
def test_in_another_game_the_strategies_for_even_odd_move_at_random(strategy: str) -> None:
    assert moved(strategy) == moved("random")
    assert moved(strategy) in map(bytes, OPTIONS)


def test_a_bot_that_cannot_make_sense_of_a_view_costs_its_move() -> None:
    with pytest.raises(Failed):
        moved("bot", asked(b'{"no": "view"}'))
    assert default_of(asked()) is OPTIONS[0]
    assert default_of(question()) is EVEN


@pytest.mark.parametrize(
    "answer",
    ["2", """{"card": "S", "player": "P01", "type": "Pick"}""", """ {"type":"Pick","player":"P01","card":"S"} """],
)
def test_a_program_gives_a_move_back_or_its_number(answer: str) -> None:
    assert moved(f"command:echo {shlex.quote(answer)}") == bytes(OPTIONS[2])


@pytest.mark.parametrize(
    "answer", ["", "3", "-1", "true", "odd", "{}", "[", """{"type":"Pick","player":"P02","card":"S"}"""]
)
def test_a_program_that_gives_no_move_costs_its_move(answer: str) -> None:
    with pytest.raises(Failed):
        moved(f"command:echo {shlex.quote(answer)}")


def test_a_function_is_offered_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moved("python:tests.agents.waiting:last_move") == bytes(OPTIONS[2])


def test_a_strategy_that_is_asked_often_closes_no_file_but_its_own(tmp_path: Path) -> None:
    """With uvloop, as players run: a pipe that is closed twice may by then be another file."""

    async def ask() -> None:
        strategy = find_strategy("command:echo odd", Seed("s"))
        for number in range(20):
            with (tmp_path / str(number)).open("w") as kept:
                assert await strategy(question()) == "odd"
                opened = [(tmp_path / f"{number}-{other}").open("w") for other in range(5)]
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                for file in (*opened, kept):
                    os.fstat(file.fileno())
                    file.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(ask())
