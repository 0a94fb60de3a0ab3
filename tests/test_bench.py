"""The benches compare like with like. Nothing here asks how fast anything is."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import commits, door, lab, load, yardstick
from bench.__main__ import contests
from bench.ecard import PLAYERS, recorded_matches
from bench.gauges import CPU, RESIDENT, TRACED, WALL, Gauge
from bench.harness import Aim, Contest, Contestant, Disagreement, agree, measure
from turnstile.games import ecard
from turnstile.games.ecard import BeginPicking, Card, Pick, Reset, Start, State
from turnstile.kernel import Event, PlayerId, Rejection, Seed, Timeout
from turnstile.registry import names

pytestmark = pytest.mark.uncounted

ROOT = Path(__file__).parent.parent
BENCH = [sys.executable, "-m", "bench"]
FEW = 20  # tables, where a contest is about many
EVERY_EVENT: tuple[Event, ...] = (
    Start(Seed("again")),
    BeginPicking(),
    Reset(),
    Timeout(),
    *(Pick(player, card) for player in (*PLAYERS, PlayerId("mallory")) for card in Card),
)


@pytest.mark.parametrize("name", contests())
def test_the_contestants_of_a_contest_do_the_same_work(name: str) -> None:
    contest = contests(FEW)[name]()
    try:
        agree(contest)
    finally:
        contest.close()


def test_the_yardstick_answers_every_event_in_every_state_as_e_card_does() -> None:
    for state in _states():
        for event in EVERY_EVENT:
            assert _answer(yardstick.apply, state, event) == _answer(ecard.ecard.apply, state, event)


def test_a_contestant_that_goes_another_way_is_not_timed() -> None:
    contest = _contest(_counting("honest", [1, 2, 3]), _counting("astray", [1, 5, 3]))
    with pytest.raises(Disagreement, match="after event 2, astray differs from honest: 5 instead of 2"):
        measure(contest, rounds=1)


def test_a_contestant_that_stops_early_is_not_timed() -> None:
    contest = _contest(_counting("honest", [1, 2, 3]), _counting("lazy", [1, 2]))
    with pytest.raises(Disagreement, match="after event 3, lazy differs from honest"):
        measure(contest, rounds=1)


def test_every_contestant_is_first_as_often_as_the_others() -> None:
    seen: list[str] = []
    names = ("honest", "other", "third")
    contest = _contest(*(_counting(name, [1], seen.append) for name in names))
    measure(contest, rounds=3)
    assert seen[len(names) :] == [*names, "other", "third", "honest", "third", "honest", "other"]


def test_the_baseline_is_once_as_slow_as_itself() -> None:
    result = measure(_contest(_counting("honest", [1]), _counting("other", [1])), rounds=5)
    assert [score.name for score in result.scores] == ["honest", "other"]
    assert result.scores[0].ratio.median == 1
    assert result.scores[1].ratio.lower <= result.scores[1].ratio.median <= result.scores[1].ratio.upper


def test_an_aim_for_an_absent_contestant_is_neither_met_nor_missed() -> None:
    result = measure(_contest(_counting("honest", [1]), aim_for="nobody"), rounds=1)
    (verdict,) = result.aims
    assert verdict.ratio is None
    assert verdict.is_met is None


@pytest.mark.parametrize(
    ("library", "imported"), [("transitions", "transitions"), ("python-statemachine", "statemachine")]
)
def test_a_library_that_is_not_installed_is_named_with_the_command_that_brings_it(
    library: str, imported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, imported, None)
    contest = door.contest()
    assert library not in [contestant.name for contestant in contest.contestants]
    sentences = {absent.name: absent.sentence for absent in contest.absent}
    assert "pip install 'turnstile[bench]'" in sentences[library]


def test_without_postgresql_its_contest_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "turnstile.store.postgres", None)
    result = measure(commits.on_postgresql(), rounds=1)
    assert result.scores == ()
    assert [absent.name for absent in result.absent] == ["together", "one by one"]
    assert all("pip install 'turnstile[dev]'" in absent.sentence for absent in result.absent)
    assert [verdict.is_met for verdict in result.aims] == [None]


@pytest.mark.parametrize("gauge", [CPU, WALL, TRACED, RESIDENT], ids=lambda gauge: gauge.name)
def test_every_gauge_tells_where_a_run_ended(gauge: Gauge) -> None:
    assert gauge.measure(lambda: "there").end == "there"


@pytest.mark.parametrize("gauge", [TRACED, RESIDENT], ids=lambda gauge: gauge.name)
def test_memory_that_a_run_keeps_is_counted(gauge: Gauge) -> None:
    kept: list[bytes] = []
    cost = gauge.measure(lambda: kept.append(b"x" * 50_000_000))
    assert 49_000_000 < cost.amount < 60_000_000


def test_memory_that_a_run_gives_back_is_not_counted() -> None:
    assert TRACED.measure(lambda: len(b"x" * 50_000_000)).amount < 1_000_000


def test_json_has_every_contestant_or_says_why_not() -> None:
    command = [*BENCH, "--rounds", "1", "--tables", str(FEW), "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = {contest["name"]: contest for contest in json.loads(run.stdout)["contests"]}
    assert _named(found["e-card"]) == {"yardstick", "apply", "step"}
    assert _named(found["door"]) == {"apply", "step", "transitions", "python-statemachine"}
    assert _named(found["commits on postgresql"]) == {"together", "one by one"}
    assert all(score["rate"] > 0 for contest in found.values() for score in contest["scores"])


def test_only_runs_one_contest() -> None:
    command = [*BENCH, "--rounds", "1", "--only", "e-card"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "yardstick" in run.stdout
    assert "transitions" not in run.stdout


def test_ctrl_c_stops_with_one_sentence() -> None:
    with subprocess.Popen([*BENCH, "--rounds", "100000"], cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        run.stderr.readline()
        run.send_signal(signal.SIGINT)
        assert run.stderr.read() == "Stopped before the last round, so there is nothing to show.\n"
    assert run.returncode == 130


def _states() -> Iterator[State]:
    """Every state of a few recorded matches."""
    for state, events in recorded_matches()[:5]:
        yield state
        for event in events:
            after = ecard.ecard.apply(state, event)
            assert not isinstance(after, Rejection)
            state = after
            yield state


def _answer(apply: Callable[[State, Event], State | Rejection], state: State, event: Event) -> State | str:
    """Programs branch on the code of a refusal; its sentence may be put in other words."""
    answer = apply(state, event)
    return answer.code if isinstance(answer, Rejection) else answer


def _counting(name: str, trail: list[int], tell: Callable[[str], object] = str) -> Contestant:
    """A contestant whose whole work is to tell its name."""
    return Contestant(name=name, about="", trail=lambda: trail, prepare=lambda: lambda: (tell(name), trail[-1])[1])


def _contest(*contestants: Contestant, aim_for: str = "honest") -> Contest:
    aims = (Aim(contestant=aim_for, sentence=f"{aim_for} comes", at_most=1),)
    return Contest(
        name="test", title="Test", unit="event", units=1, baseline="honest", contestants=contestants, aims=aims
    )


def _named(contest: dict[str, list[dict[str, object]]]) -> set[object]:
    return {entry["name"] for entry in contest["scores"] + contest["absent"]}


@pytest.mark.parametrize("store", ["sqlite", "memory"])
@pytest.mark.parametrize("game", names())
def test_load_plays_every_match_to_its_end_and_counts_what_a_move_costs(game: str, store: str) -> None:
    ran = CliRunner().invoke(load.main, ["--game", game, "--tables", "2", "--store", store, "--json"])
    assert ran.exit_code == 0, ran.output
    figures = json.loads(ran.output)
    assert figures["moves"] > 2
    assert figures["updates"] > 1
    assert figures["counts"]["store.commit"] >= 1
    assert figures["counts"]["loop callbacks"] > 0


def test_the_contests_of_the_lab_are_printed_as_markdown() -> None:
    ran = CliRunner().invoke(lab.main, ["--rounds", "1", "--only", "e-card playouts"])
    assert ran.exit_code == 0, ran.output
    table = [line for line in ran.stdout.splitlines() if line.startswith("|")]
    assert table[0] == "| e-card playouts | events a second | nanoseconds an event | times apply |"
    assert [line.split(" | ")[0] for line in table[2:]] == ["| apply", "| step", "| playout", "| views"]
    assert set(lab.CONTESTS) <= set(contests())
