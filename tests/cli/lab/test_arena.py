"""`turnstile arena`: one's own bot, as a function or a program, against the others. tests/agents has league agents."""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from tests.lab import own_bots
from tests.lab.own_bots import write_program

ARENA = ("arena", "e-card", "--seed", "7", "--processes", 1, "--bots")


def outcome(ran_out: str) -> dict[str, object]:
    """The result against the only opponent, without the times."""
    (opponent,) = json.loads(ran_out)["opponents"]
    return dict(opponent["result"])


def test_a_function_plays_and_what_it_prints_does_not_get_into_the_output(program: Turnstile) -> None:
    words = [*ARENA, f"{own_bots.HERE}:by_chance,equilibrium", "--matches", 4, "--json"]
    ran = program(*words)
    found = json.loads(ran.out)
    assert (found["bot"], found["players"], found["isComplete"]) == (f"{own_bots.HERE}:by_chance", 2, True)
    (opponent,) = found["opponents"]
    assert (opponent["result"]["other"], opponent["result"]["matches"]) == ("equilibrium", 4)
    assert opponent["milliseconds"] > 0
    assert "a function says something" in ran.err
    assert "so does compiled code" in ran.err


def test_the_same_seed_gives_the_same_result_in_any_number_of_processes(turnstile: Turnstile, tmp_path: Path) -> None:
    """A function draws from a seeded generator, and a program is given a random number for each decision."""
    drawing = write_program(tmp_path, "print(asked['random'] % len(asked['actions']), flush=True)")
    words = ("arena", "e-card", "--seed", "7", "--matches", 8, "--json", "--processes")
    for bots in (f"tests.lab.own_bots:by_chance,{drawing}", f'"{drawing}",equilibrium'):
        one, two = (outcome(turnstile(*words, count, "--bots", bots).out) for count in (1, 2))
        assert one == two


def test_people_get_a_table_and_a_sentence_for_each_opponent(
    turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = turnstile(
        "arena", "66", "--bots", "attentive,random,tests.lab.own_bots:first", "-n", 20, "--seed", "7", "--processes", 1
    )
    assert "66: attentive, 20 matches each, seed 7" in ran.out
    for whole in ("against", "wins", "95 % interval", "score difference", "ms a", "decision", "opponent's"):
        assert f" {whole} " in ran.out
    assert re.search(r"attentive is stronger than random: it wins against it in \d+\.\d% of 20 matches", ran.out)


@pytest.mark.parametrize("command", ["arena", "tournament"])
def test_a_name_is_printed_as_it_is_whatever_it_means_elsewhere(turnstile: Turnstile, command: str) -> None:
    bots = "random,tests.lab.own_bots:star"
    ran = turnstile(command, "e-card", "--bots", bots, "-n", 2, "--seed", "7", "--processes", 1)
    assert "random and tests.lab.own_bots:star: no certain difference" in ran.out


def test_the_shape_for_programs_is_in_the_help(turnstile: Turnstile) -> None:
    result = json.loads(turnstile(*ARENA, "equilibrium,random", "-n", 2, "--json").out)
    told = turnstile("arena", "--help").out
    fields = {*result, *result["opponents"][0], *result["opponents"][0]["result"]}
    assert [field for field in fields if not re.search(rf"\b{field}\b", told)] == []


@pytest.mark.parametrize(
    ("function", "status", "why"),
    [
        ("broken", 1, """has failed: KeyError: 'ace' (own_bots.py, line 28: return hand["ace"])."""),
        ("silent", 1, "has chosen None instead of an action: is a return missing?"),
        ("leaving", 1, "has failed: SystemExit: 3 (own_bots.py"),
        ("illegal", 1, "has chosen 2, which is not one of its 2 actions, 0 to 1."),
        ("later", 2, "it is an async def; a bot is a function of (view, actions) or (view, actions, rng)."),
        ("unfit", 2, "it takes (view: Any) -> None; a bot is a function of"),
        ("HERE", 2, "it is not a function"),
        ("missing", 2, "tests.lab.own_bots has no function 'missing'."),
    ],
)
def test_a_function_that_fails_is_told_with_its_authors_line(
    turnstile: Turnstile, function: str, status: int, why: str
) -> None:
    ran = turnstile(*ARENA, f"tests.lab.own_bots:{function},random")
    assert ran.status == status
    assert why in ran.err
    assert "turnstile/lab" not in ran.err


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def choose(", "cannot be imported: SyntaxError: '(' was never closed (mine.py, line 1)."),
        ("x = 1 / 0", "cannot be imported: ZeroDivisionError: division by zero (mine.py, line 1: x = 1 / 0)."),
        ("import no_such_module", "it needs no_such_module, which is not installed."),
        ("import sys\nsys.exit()", "it ends the program when it is imported"),
    ],
)
def test_a_file_that_cannot_be_imported_is_told_with_its_line(
    turnstile: Turnstile, tmp_path: Path, source: str, why: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)
    ran = turnstile(*ARENA, f"{path}:choose,random")
    assert ran.status == 2
    assert why in ran.err


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no_such_module:choose", "there is no module 'no_such_module' in this folder or on Python's path."),
        ("/no/such/file.py:choose", "there is no file /no/such/file.py."),
        ("mine.py:", "is incomplete: name a function"),
        ("cmd:", "is incomplete: give the program"),
        ("cmd:./no-such-program", "there is no program './no-such-program'."),
        ("cmd:'", "cannot be used: No closing quotation."),
        ("league:ftp://127.0.0.1/mcp", "cannot be used: neither http nor https."),
    ],
)
def test_a_bot_that_does_not_exist_is_refused_before_anything_is_played(
    turnstile: Turnstile, name: str, why: str
) -> None:
    for command in ("arena", "simulate"):
        ran = turnstile(command, "e-card", "--bots", f"{name},random")
        assert ran.status == 2
        assert why in ran.err


# programs


def test_a_program_runs_on_over_many_matches_and_answers_with_numbers_or_actions(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    """It notes each question; there is one process, and matches are numbered."""
    notes = tmp_path / "notes"
    body = (
        f"print(os.getpid(), line, file=open({str(notes)!r}, 'a'));"
        "print(json.dumps(asked['actions'][-1]) if number % 2 else 0, flush=True)"
    )
    ran = turnstile(*ARENA, f"{write_program(tmp_path, body)},random", "--matches", 4)
    assert ran.status == 0, ran.err
    asked = [line.partition(" ") for line in notes.read_text().splitlines() if line]
    (process,) = {pid for pid, _, _ in asked}
    assert not Path(f"/proc/{process}").exists()
    questions = [json.loads(question) for _, _, question in asked]
    assert set(questions[0]) == {"game", "match", "player", "view", "actions", "random"}
    assert [each["match"] for each in questions] == sorted(each["match"] for each in questions)
    assert {each["match"] for each in questions} == {0, 1, 2, 3}
    assert "seed" not in questions[0]["view"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("print('oh dear', file=sys.stderr); sys.exit(3)", "has ended with exit status 3 instead of answering."),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9 instead of answering."),
        ("print('oh dear', file=sys.stderr, flush=True); time.sleep(60)", "has not answered within 0.5 seconds."),
        ("print('oh dear', file=sys.stderr, flush=True); print(99, flush=True)", "has chosen 99, which is not one of"),
        ("print('well', flush=True)", "has answered 'well', which is not JSON."),
        ("os.write(1, b'0\\nwell\\n')", "has answered with more than one line."),
        ("print('x' * 100_000, flush=True)", "has answered with more than 65536 bytes."),
        ("os.close(1); time.sleep(60)", "has closed its output instead of answering."),
    ],
)
def test_a_program_that_fails_is_told_with_what_it_printed(
    turnstile: Turnstile, tmp_path: Path, body: str, why: str
) -> None:
    ran = turnstile(*ARENA, f"{write_program(tmp_path, body)},random", "--time-limit", 0.5)
    assert ran.status == 1
    assert why in ran.err
    assert ("oh dear" in body) == ("oh dear\n" in ran.err)


def test_an_own_bot_plays_in_every_command(turnstile: Turnstile, tmp_path: Path) -> None:
    name = write_program(tmp_path, "print(0, flush=True)")
    ran = turnstile(
        "simulate", "even-odd", "--bots", f"{name},tests.lab.own_bots:first", "-n", 2, "--json", "--processes", 1
    )
    assert json.loads(ran.out)["bots"] == [name, "tests.lab.own_bots:first"]
    ran = turnstile("play", "even-odd", "--bot", name, "--options", '{"draws":1}', given="1\n")
    assert ran.status == 0, ran.err
    ran = turnstile("play", "even-odd", "--bot", name, "--server", "http://127.0.0.1:1")
    assert "A server has its own bots only: reader, contrary," in ran.err


def test_the_bots_of_the_page_play(turnstile: Turnstile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[3] / "docs" / "tournaments.md").read_text("utf-8")
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.DOTALL)
    assert [name for name, _ in blocks] == ["mine.py", "mybot.py"]
    for name, source in blocks:
        (tmp_path / name).write_text(source)
    monkeypatch.chdir(tmp_path)
    bots = f"mine.py:choose,cmd:{sys.executable} mybot.py"
    ran = turnstile(*ARENA, bots, "--matches", 2, "--json")
    assert outcome(ran.out)["matches"] == 2


def test_the_name_of_a_bot_is_printed_as_it_is(
    turnstile: Turnstile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Square brackets are markup for the library that prints the tables."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot").write_text("#!/bin/sh\nwhile read line; do echo 0; done\n")
    (tmp_path / "bot").chmod(0o755)
    for words in (["simulate", "e-card", "--matches", 2, "--processes", 1], ["solve", "e-card", "--draws", 1]):
        assert "cmd:./bot [/b]" in turnstile(*words, "--bots", "cmd:./bot [/b]").out


def test_a_program_that_does_not_read_ends_the_command_with_a_sentence(program: Turnstile, tmp_path: Path) -> None:
    """The pipe to it is closed. For standard output that is a quiet end, for a bot it is a failure."""
    (tmp_path / "bot").write_text(f"#!/bin/sh\nexec 0<&-\ntouch {tmp_path}/closed\nsleep 5\n")
    (tmp_path / "bot").chmod(0o755)
    (tmp_path / "late.py").write_text(
        "import pathlib, time\n"
        "def choose(view, actions):\n"
        f"    while not pathlib.Path('{tmp_path}/closed').exists(): time.sleep(0.01)\n"
        "    return 0\n"
    )
    bots = f"cmd:{tmp_path}/bot,{tmp_path}/late.py:choose"
    ran = program("arena", "e-card", "--seed", "7", "--processes", 1, "--matches", 2, "--bots", bots)
    assert ran.status == 1
    assert "instead of answering." in ran.err
