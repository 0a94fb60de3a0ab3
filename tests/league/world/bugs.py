"""Planted bugs: small, deliberate faults, each with the promise it breaks. They prove that the world can see."""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from turnstile.games import evenodd
from turnstile.kernel import Event, Next, PlayerId, Rejection, Send, Step
from turnstile.kernel.machine import Machine
from turnstile.kernel.timers import Timed, TimedMachine, replay_timed
from turnstile.league.local import machine as local_machine
from turnstile.league.local import referee as local_referee
from turnstile.league.local.machine import LocalMachine
from turnstile.league.local.player import LocalPlayer
from turnstile.league.local.referee import LocalReferee
from turnstile.league.manager import calls as manager_calls
from turnstile.league.manager import machine as manager
from turnstile.league.manager import register as manager_register
from turnstile.league.manager import results as manager_results
from turnstile.league.manager import rounds as manager_rounds
from turnstile.league.manager import schedule
from turnstile.league.manager import state as manager_state
from turnstile.league.manager.state import MatchOutcome
from turnstile.league.player import match as player_match
from turnstile.league.player import record as player_record
from turnstile.league.player import rounds as player_rounds
from turnstile.league.player.state import ChoiceMade, Question, ReadyToJoin
from turnstile.league.player.state import State as Player
from turnstile.league.protocol.words import MatchId
from turnstile.league.referee import ending as referee_ending

Patch = pytest.MonkeyPatch
BUGS: list["Bug"] = []


@dataclass(frozen=True)
class Bug:
    """What is wrong, and the promise whose breaking must be noticed."""

    name: str
    caught_by: str
    plant: Callable[[Patch], None]


def caught_by(promise: str) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def declare(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
        BUGS.append(Bug(plant.__name__, promise, plant))
        return plant

    return declare


def patch_row(patch: Patch, machine: Machine[Any], phase: Any, event: type[Event], handler: Any) -> None:
    rows = machine._on[event]
    patch.setitem(rows, phase, with_changes(rows[phase], handler=handler))


# the player


@caught_by("same answer")
def second_thoughts_when_asked_again(patch: Patch) -> None:
    def answer_again(state: Player) -> Next[Player] | Rejection:
        again = player_match.response_of(state.playing, state.me)
        other = {"even": "odd", "odd": "even"}[again.message.parity_choice]  # type: ignore[attr-defined]
        return Next(state, Send(again.to, replace(again.message, parity_choice=other)))

    first_answer = player_match.answer_again
    patch.setattr(
        player_match,
        "answer_again",
        lambda state: answer_again(state) if state.playing.has_answered else first_answer(state),
    )


@caught_by("same answer")
def answers_before_it_has_written_it_down(patch: Patch) -> None:
    take = LocalPlayer.take

    def hasty(self: LocalPlayer, event: Event) -> Step[Player] | Rejection:
        log, self.machine.log = self.machine.log, []
        step = take(self, event)
        assert log is not None
        log += self.machine.log
        self.machine.log = log
        return step

    patch.setattr(LocalPlayer, "take", hasty)


@caught_by("just")
def keeps_to_a_referee_that_was_replaced(patch: Patch) -> None:
    patch.setattr(player_rounds, "is_given_to_another", lambda state, event: False)


@caught_by("just")
def keeps_the_result_of_a_referee_that_was_replaced(patch: Patch) -> None:
    patch.setattr(player_rounds, "take_back_results", lambda state, matches: state)


@caught_by("just")
def believes_what_was_announced_before(patch: Patch) -> None:
    patch.setattr(player_rounds, "is_outdated", lambda state, event: False)


@caught_by("statistics")
def counts_a_result_that_was_taken_back(patch: Patch) -> None:
    def counted_for_ever(state: Player, matches: Any) -> Player:
        return replace(player_record.take_back_results(state, matches), statistics=state.statistics)

    patch.setattr(player_rounds, "take_back_results", counted_for_ever)


@caught_by("just")
def joins_too_late(patch: Patch) -> None:
    patch.setattr(player_match, "JOIN_SECONDS", 90.0)
    patch.setattr(LocalPlayer, "give", lambda self, want: _give_all_but_joining(self, want))


def _give_all_but_joining(agent: LocalPlayer, want: Any) -> None:
    if isinstance(want, Question):
        agent.take(ChoiceMade(match_id=want.match_id, parity_choice="even"))
    elif not isinstance(want, ReadyToJoin):
        agent.take(want)


# the referee


@caught_by("fair")
def draws_another_number(patch: Patch) -> None:
    patch.setattr(referee_ending, "drawn_number", lambda seed, index: evenodd.drawn_number(seed, index + 1))


@caught_by("one result")
def begins_a_finished_match_again(patch: Patch) -> None:
    be_given = LocalReferee._be_given

    def forgetful(self: LocalReferee, event: Any, match: Any) -> None:
        self.finished.pop(match.match_id, None)
        be_given(self, event, match)

    patch.setattr(LocalReferee, "_be_given", forgetful)


@caught_by("fair")
def has_another_seed_after_a_restart(patch: Patch) -> None:
    go_on = LocalReferee._go_on

    def reseed(self: LocalReferee, match: MatchId, work: LocalMachine[Any]) -> None:
        given = work.state.given
        reseeded = replace(work.state, assignment=replace(given, seed=f"{given.seed}?"))
        work.timed_machine.timed = replace(work.timed_machine.timed, state=reseeded)
        go_on(self, match, work)

    patch.setattr(LocalReferee, "_go_on", reseed)


@caught_by("same result")
def goes_on_with_a_match_that_was_given_away_and_back(patch: Patch) -> None:
    be_given = LocalReferee._be_given

    def unaware(self: LocalReferee, event: Any, match: Any) -> None:
        is_known = self._known(match.match_id) is not None
        be_given(self, event, replace(match, reassignments=UNSET) if is_known else match)

    patch.setattr(LocalReferee, "_be_given", unaware)
    patch.setattr(local_referee, "may_go_on", lambda *asked: True)
    patch.setattr(manager_results, "refuse_earlier_course", lambda match, details: None)


# the manager


@caught_by("once")
def books_a_repeated_result_again(patch: Patch) -> None:
    match_reported = manager_results.match_reported

    def as_if_new(state: Any, event: Any) -> Any:
        match = match_reported(state, event)
        return match if isinstance(match, Rejection) or not state.matches else replace(match, outcome=None)

    patch.setattr(manager_results, "match_reported", as_if_new)


@caught_by("its referee")
def takes_results_from_any_referee(patch: Patch) -> None:
    match_reported = manager_results.match_reported

    def anybodys(state: Any, event: Any) -> Any:
        match = match_reported(state, event)
        who = event.sender.removeprefix("referee:")
        return match if isinstance(match, Rejection) or not state.matches else replace(match, referee_id=who)

    patch.setattr(manager_results, "match_reported", anybodys)
    patch.setattr(manager_results, "refuse_earlier_course", lambda match, details: None)  # it knows most of them


@caught_by("standings")
def pays_for_technical_losses(patch: Patch) -> None:
    def generous(tallies: Any, places: Any, outcome: MatchOutcome) -> Any:
        is_default = outcome in manager_results.BY_DEFAULT
        return manager_results.credit(tallies, places, MatchOutcome.DRAW if is_default else outcome)

    patch.setattr(manager_rounds, "credit", generous)


@caught_by("pairings")
def plays_the_first_round_over_and_over(patch: Patch) -> None:
    pairings = schedule.pairings
    patch.setattr(schedule, "pairings", lambda players, round_id: pairings(players, 1))


@caught_by("just")
def announces_another_referee_as_if_it_were_the_first(patch: Patch) -> None:
    reassign = manager_calls.reassign
    patch.setattr(manager_calls, "reassign", lambda *given: replace(reassign(*given), revision=0))


@caught_by("live")
def never_calls_a_referee_again(patch: Patch) -> None:
    patch.setattr(manager_calls, "call_referee", lambda state, at: Next(state))


@caught_by("live")
def never_replaces_a_referee(patch: Patch) -> None:
    patch.setattr(manager_rounds, "give_up", lambda state, at: manager_calls.call_referee(state, at))


@caught_by("live")
def waits_in_silence_when_no_referee_is_left(patch: Patch) -> None:
    waiting = manager_state.Phase.WAITING_FOR_REFEREE
    patch_row(patch, manager.manager, waiting, manager_state.RefereeExpired, lambda state, event: state)


@caught_by("live")
def loses_its_timers_with_a_restart(patch: Patch) -> None:
    def timeless(machine: Machine[Any], *given: Any) -> TimedMachine[Any]:
        work: TimedMachine[Any] = replay_timed(machine, *given)
        if machine is manager.manager:
            work.timed = Timed(work.state)
        return work

    patch.setattr(local_machine, "replay_timed", timeless)


@caught_by("just")
def does_not_know_a_player_that_asks_again(patch: Patch) -> None:
    patch.setattr(manager_register, "repeated_place", lambda state, request: None)


@caught_by("told")
def tells_nobody_but_the_first_that_the_league_is_over(patch: Patch) -> None:
    first = f"player:{PlayerId('P01')}"
    everybody = manager_calls.league_completed
    patch.setattr(
        manager_calls, "league_completed", lambda state: [each for each in everybody(state) if each.to == first]
    )
