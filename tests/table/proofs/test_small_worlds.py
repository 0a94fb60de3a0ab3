"""Small worlds of tables, walked to the last state, and what makes a table unsound."""

import json
from dataclasses import replace as with_fields
from typing import Any

import pytest
from msgspec.structs import replace

from tests.table.proofs.walks import find
from tests.table.tables import ANA, BO, play, started, starting
from tests.table.toys import actions, hourglass
from turnstile.games import updown
from turnstile.kernel import AnyGame, ByPlayer
from turnstile.kernel.check import Report, Verdict, World, check
from turnstile.registry import lent, names
from turnstile.table.proofs import companies_of, violation, world_of, worlds
from turnstile.table.values import Batch, How, Phase, Result, RunOut

WORLDS = list(worlds(most_events=3))


# small scope, exhaustively


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.setting)
def test_K3_every_order_of_all_that_can_happen_leads_to_sound_tables_and_to_an_end(world: World[Any]) -> None:
    report = check(world)
    assert report.passed, report.findings
    told = [finding.sentence for finding in report.findings]
    assert any("were walked" in sentence for sentence in told), "the world is small enough to be walked completely"
    assert "timers alone bring every state to rest" in told


def test_there_is_a_world_for_each_game_and_each_end_of_a_clock_and_one_for_all_companies_of_a_game() -> None:
    assert len({world.setting for world in WORLDS}) == len(WORLDS) == 16


# every company


def companies_walked(game: AnyGame) -> tuple[Report, set[tuple[int, Phase]]]:
    """What the checker says about the companies of a game, and how many players sat there in which phase."""
    world = companies_of(game)
    met: set[tuple[int, Phase]] = set()

    def sees(state: Any) -> str | None:
        met.add((len(state.seats), state.phase))
        return violation(state)

    return check(with_fields(world, violation=sees)), met


@pytest.mark.parametrize("name", names())
def test_every_company_that_fits_the_seats_plays_and_no_other_starts(name: str) -> None:
    seats = find(name).seats
    report, met = companies_walked(find(name))
    assert report.passed, report.findings
    assert {count for count, phase in met if phase is Phase.SEATING} == set(range(seats[-1] + 1))
    assert {count for count, phase in met if phase is Phase.PLAYING} == set(seats)
    told = [finding for finding in report.findings if "must be refused" in finding.sentence]
    assert [finding.verdict for finding in told] == [Verdict.PROVED]


def test_a_match_in_which_nobody_but_the_impatient_can_do_anything_is_found() -> None:
    """A game of Up-Down that says one player is enough: it waits for ever for a second."""
    alone = with_fields(updown.game, seats=range(1, 11))
    with lent(alone):
        for world in (companies_of(alone), world_of(alone, RunOut.WAIT, 3)):
            finding = check(world).findings[-1]
            assert finding.verdict is Verdict.FAILED
            assert finding.sentence.startswith("the match is stuck: nothing can happen but Resign, Halt")
            assert [json.loads(event)["type"] for event in finding.path] == ["Join", "Start", "Acknowledge"]


def test_a_table_that_starts_without_looking_at_the_seats_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnstile.table.machine.refuse_count", lambda count, seats: None)
    finding = check(companies_of(updown.game)).findings[-1]
    assert (finding.verdict, finding.sentence) == (Verdict.FAILED, "an event that must be refused is accepted")
    assert [json.loads(event)["type"] for event in finding.path] == ["Join", "Start"]


def test_of_a_game_for_very_many_the_small_companies_are_walked_and_the_report_says_so() -> None:
    """The players may do less than usual, so that there are fewer states: what counts here is how many sit down."""
    crowded = with_fields(hourglass, seats=range(2, 41), actions=lambda state, player: actions(state, player)[-2:])
    with lent(crowded):
        report, met = companies_walked(crowded)
    assert report.passed, report.findings
    assert report.setting == "Hourglass, 0 to 12 players, larger companies up to 40 not walked, 4 events of the game"
    assert {count for count, phase in met if phase is Phase.SEATING} == set(range(13))
    assert {count for count, phase in met if phase is Phase.PLAYING} == set(range(2, 13))


def test_a_game_for_three_is_walked_with_three() -> None:
    game = with_fields(hourglass, seats=range(3, 4))
    with lent(game):
        assert check(world_of(game, RunOut.FORFEIT, 1)).passed


# what must be so


@pytest.mark.parametrize(
    ("table", "lie"),
    [
        (starting(), {"match": 1}),
        (started(), {"match": None}),
        (started(), {"result": Result(How.HALTED, ())}),
        (play(started(), "ana resigns"), {"result": None}),
        (started(), {"told": ByPlayer({ANA: 9})}),
        (play(started(), "ana resigns"), {"acked": ByPlayer({ANA: 1})}),
        (play(started(), "ana resigns"), {"awaited": ByPlayer()}),
        (play(started(), "ana resigns"), {"actions_since": ByPlayer()}),
        (started(), {"acked": ByPlayer({ANA: 99, BO: 1})}),
        (started(), {"awaited": ByPlayer({ANA: 99, BO: 1})}),
        (started(), {"actions_since": ByPlayer({ANA: 99, BO: 1})}),
        (starting(), {"acked": ByPlayer({ANA: 1, BO: 1})}),
        (started(), {"pending": (Batch(()),)}),
        (play(started(), "ana resigns"), {"timers": starting().state.timers}),
        (starting(), {"timers": ()}),
        (started(), {"timers": starting().state.timers}),
        (
            play(starting(), "acks"),
            {"timers": (*starting().state.timers, *started(clock="9 per move, then bot").state.timers)},
        ),
        (
            play(started(clock="9 per move, then bot"), "ana C"),
            {"timers": started(clock="9 per move, then bot").state.timers},
        ),
    ],
)
def test_a_table_that_contradicts_itself_is_not_sound(table: Any, lie: dict[str, Any]) -> None:
    assert violation(table.state) is None
    assert violation(replace(table.state, **lie)) is not None
