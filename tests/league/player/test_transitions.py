"""The transitions of the player, one after the other, as its specification numbers them.

Transitions 1 and 2 are in test_registration.py.
"""

import pytest
from msgspec.structs import replace

from tests.league.player.played import (
    ANOTHER,
    IN_MATCH,
    ME,
    OTHER,
    RESULTS,
    ROW,
    SEED,
    announcement,
    call,
    choosing,
    chosen,
    complete,
    event_of,
    finished,
    game_over,
    invitation,
    invited,
    joined,
    play,
    refusal,
    refused,
    registered,
    result,
    sent,
    taken,
    timers,
    waiting,
)
from turnstile.games.evenodd import Parity
from turnstile.kernel import Event, PlayerId, Seed, Send
from turnstile.league.player.machine import wanted
from turnstile.league.player.record import record_result
from turnstile.league.player.state import MOST_KEPT, Code, OwnResult, Phase, Question, State
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameJoinAck,
)
from turnstile.league.protocol.values import PlayerStandings
from turnstile.league.protocol.words import LeagueId, MatchId, Role, Status

JOIN = ["GAME_JOIN_ACK to referee:REF03"]
CHOICE = ["CHOOSE_PARITY_RESPONSE to referee:REF03"]


# 3


@pytest.mark.parametrize("before", [registered(), play(complete(), "round 1 over").state])
def test_transition_3_a_round_is_announced_and_the_player_knows_its_matches(before: State) -> None:
    step = play(before, "round 2")
    assert step.state.phase is Phase.WAITING_FOR_ROUND
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]
    assert step.state.round is not None
    assert [(match.match_id, {match.player_a_id, match.player_b_id}) for match in step.state.round.matches] == [
        ("R2M1", {ME, OTHER}),
        ("R2M2", {ME, "P03"}),
    ]


def test_transition_3_from_a_complete_match_too() -> None:
    assert play(complete(), "round 2").state.phase is Phase.WAITING_FOR_ROUND
    assert play(complete(), "round 3").state.phase is Phase.REGISTERED
    assert play(complete(), "round 1").state == complete(), "repeated, and played"
    assert play(play(complete(), "round 2").state, "round 1").state.phase is Phase.WAITING_FOR_ROUND


def test_transition_3_who_is_in_no_match_acknowledges_and_stays_registered() -> None:
    step = play(registered(), "round 3")
    assert step.state.phase is Phase.REGISTERED
    assert sent(step) == ["ROUND_ANNOUNCEMENT_ACK to league_manager"]


def test_transition_3_another_league_is_none_of_its_business() -> None:
    assert refused(registered(), announcement(1, LeagueId("another"))) == Code.WRONG_LEAGUE
    assert refused(invited(), announcement(2, LeagueId("another"))) == Code.WRONG_LEAGUE


# 4


def test_transition_4_an_invitation_is_checked_and_the_countdown_ends_before_the_referees() -> None:
    step = play(play(complete(), "round 2").state, "invited R2M1")
    assert step.state.phase is Phase.INVITED_TO_MATCH
    assert (sent(step), timers(step)) == ([], ["join 4 s"])
    match = step.state.playing
    assert (match.role_in_match, match.opponent_id, match.referee) == (Role.PLAYER_B, OTHER, "referee:REF03")


def test_transition_4_without_a_name_in_the_announcement_any_referee_will_do() -> None:
    state = taken(registered(), announcement(1, referee=None)).state
    assert taken(state, invitation("R1M1", sender=ANOTHER)).state.phase is Phase.INVITED_TO_MATCH


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (invitation("R1M9"), Code.MATCH_NOT_FOUND),
        (invitation("R1M1", opponent=PlayerId("P07")), Code.MATCH_NOT_FOUND),
        (invitation("R1M1", league=LeagueId("another")), Code.WRONG_LEAGUE),
        (invitation("R1M1", sender=ANOTHER), Code.WRONG_REFEREE),
        (invitation("R1M1", player_id=OTHER), Code.WRONG_PLAYER),
    ],
)
def test_transition_4_an_invitation_that_is_not_the_expected_one_is_refused(wrong: Event, code: str) -> None:
    assert refused(waiting(), wrong) == code


def test_transition_4_an_invitation_need_not_name_its_addressee() -> None:
    assert taken(waiting(), invitation("R1M1", player_id=None)).state.phase is Phase.INVITED_TO_MATCH


def test_transition_4_with_the_switch_on_an_unannounced_invitation_is_taken() -> None:
    state = play(registered(accepts_unannounced=True), "invited R1M1").state
    assert state.phase is Phase.INVITED_TO_MATCH
    assert play(state, "ready", "called R1M1", "odd", "won R1M1", "invited R4M1").state.match is not None


# 5


def test_transition_5_the_player_joins() -> None:
    step = play(invited(), "ready")
    assert step.state.phase is Phase.WAITING_FOR_CHOICE_REQUEST
    assert (sent(step), timers(step)) == (JOIN, ["no join"])
    (ack,) = [effect.message for effect in step.effects if isinstance(effect, Send)]
    assert ack == GameJoinAck(match_id=MatchId("R1M1"), player_id=ME, accept=True)


def test_transition_5b_when_its_time_is_nearly_over_the_player_joins() -> None:
    step = play(invited(), "join countdown")
    assert step.state.phase is Phase.WAITING_FOR_CHOICE_REQUEST
    assert sent(step) == JOIN


# 6


def test_transition_6_a_call_asks_the_strategy_and_the_countdown_ends_before_the_referees() -> None:
    step = play(joined(), "called R1M1")
    assert step.state.phase is Phase.CHOOSING_PARITY
    assert (sent(step), timers(step)) == ([], ["choice 29 s"])


@pytest.mark.parametrize(
    ("left", "countdown"),
    [(30.0, 29), (12.5, 11.5), (1.5, 0.75), (0.4, 0.2), (45.0, 29), (0.0, 29), (-3.0, 29)],
)
def test_transition_6_the_countdown_ends_before_the_deadline_of_the_call(left: float, countdown: float) -> None:
    """A deadline that is over when it comes is one by another clock, and says nothing."""
    step = taken(joined(), replace(call("R1M1"), milliseconds_left=round(1000 * left)))
    assert timers(step) == [f"choice {countdown:g} s"]


def test_transition_6_the_strategy_is_told_its_standings_and_the_deadline() -> None:
    standings = PlayerStandings(wins=2, losses=1, draws=3, points=9)
    asked = call("R1M1")
    asked = replace(asked, deadline="2031-04-02T09:10:34Z", context=replace(asked.context, your_standings=standings))
    question = wanted(taken(joined(), asked).state)
    assert isinstance(question, Question)
    assert (question.your_standings, question.deadline) == (standings, "2031-04-02T09:10:34Z")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (call("R1M9"), Code.MATCH_NOT_FOUND),
        (call("R1M1", sender=ANOTHER), Code.WRONG_REFEREE),
        (call("R1M1", player_id=OTHER), Code.WRONG_PLAYER),
    ],
)
@pytest.mark.parametrize("state", [joined(), choosing(), chosen()])
def test_transition_6_a_call_that_is_not_the_expected_one_is_refused(wrong: Event, code: str, state: State) -> None:
    assert refused(state, wrong) == code


# 7


@pytest.mark.parametrize("choice", list(Parity))
def test_transition_7_the_strategy_has_chosen_and_the_referee_is_told(choice: Parity) -> None:
    step = play(choosing(), choice.value)
    assert step.state.phase is Phase.WAITING_FOR_RESULT
    assert (sent(step), timers(step)) == (CHOICE, ["no choice"])
    (said,) = [effect.message for effect in step.effects if isinstance(effect, Send)]
    assert isinstance(said, ChooseParityResponse)
    assert said.parity_choice == choice


def test_transition_7_a_strategy_that_says_something_else_has_not_chosen() -> None:
    assert refusal(choosing(), "seven") == Code.INVALID_CHOICE


def test_transition_7_a_choice_for_another_match_is_late() -> None:
    late = play(complete(), "round 2", "invited R2M1", "ready", "called R2M1").state
    assert refused(late, event_of(choosing(), "odd")) == Code.IGNORED


def test_transition_7b_when_the_strategy_is_late_the_player_says_even() -> None:
    step = play(choosing(), "choice countdown")
    assert step.state.phase is Phase.WAITING_FOR_RESULT
    assert sent(step) == CHOICE
    assert step.state.playing.my_choice is Parity.EVEN
    assert refusal(step.state, "odd") == Code.IGNORED


# 8


@pytest.mark.parametrize(
    ("how", "outcome", "counted"),
    [
        ("won", OwnResult.WIN, (1, 0, 0, 3)),
        ("drew", OwnResult.DRAW, (0, 1, 0, 1)),
        ("lost", OwnResult.LOSS, (0, 0, 1, 0)),
        ("forfeited", OwnResult.LOSS, (0, 0, 1, 0)),
        ("both-forfeited", OwnResult.LOSS, (0, 0, 1, 0)),
        ("by-default", OwnResult.WIN, (1, 0, 0, 3)),
        ("garbled", None, (0, 0, 0, 0)),
    ],
)
def test_transition_8_the_result_is_counted_kept_and_acknowledged(
    how: str, outcome: OwnResult | None, counted: tuple[int, int, int, int]
) -> None:
    step = play(chosen(), f"{how} R1M1")
    state = step.state
    assert state.phase is Phase.MATCH_COMPLETE
    assert sent(step) == ["GAME_OVER_ACK to referee:REF03"]
    (played,) = state.history
    assert (played.match_id, played.opponent_id, played.result) == ("R1M1", OTHER, outcome)
    assert played.my_choice is Parity.ODD
    numbers = state.statistics
    assert (numbers.wins, numbers.draws, numbers.losses, numbers.points) == counted


def test_transition_8_technical_losses_are_counted_however_many_matches_there_were() -> None:
    state = play(chosen(), "forfeited R1M1").state
    assert (state.statistics.losses, state.statistics.technical_losses) == (1, 1)
    for _ in range(MOST_KEPT + 1):  # the history keeps the latest matches alone
        state = record_result(replace(state, match=replace(state.playing, round_id=2)), RESULTS["forfeited"])
    state = record_result(state, RESULTS["lost"])
    assert len(state.history) == MOST_KEPT
    assert (state.statistics.losses, state.statistics.technical_losses) == (MOST_KEPT + 3, MOST_KEPT + 2)


@pytest.mark.parametrize(
    ("number", "seed", "is_fair"),
    [(7, SEED, True), (6, SEED, False), (6, Seed("1"), False), (7, None, None), (None, SEED, None)],
)
def test_transition_8_the_player_checks_the_draw(number: int | None, seed: Seed | None, is_fair: bool | None) -> None:
    over = game_over("R1M1", result(Status.WIN, ME, number, seed))
    assert taken(chosen(), over).state.history[0].is_fair is is_fair


@pytest.mark.parametrize("state", [each() for each in IN_MATCH.values()], ids=list(IN_MATCH))
def test_transition_8_a_match_may_end_early(state: State) -> None:
    step = play(state, "by-default R1M1")
    assert step.state.phase is Phase.MATCH_COMPLETE
    assert timers(step) == ["no join", "no choice"]


# 9 to 11


def test_transition_9a_the_next_match_of_the_same_round() -> None:
    state = play(complete(), "round 2", "invited R2M1", "ready", "called R2M1", "even", "lost R2M1").state
    assert play(state, "invited R2M2").state.phase is Phase.INVITED_TO_MATCH
    assert refused(state, invitation("R2M9")) == Code.MATCH_NOT_FOUND


def test_transition_9b_standings_and_the_end_of_the_round_are_acknowledged() -> None:
    step = play(complete(), "standings")
    assert sent(step) == ["STANDINGS_UPDATE_ACK to league_manager"]
    assert (step.state.phase, step.state.standings) == (Phase.MATCH_COMPLETE, (ROW,))
    step = play(step.state, "round 1 over")
    assert sent(step) == ["ROUND_COMPLETED_ACK to league_manager"]
    assert step.state.phase is Phase.REGISTERED


@pytest.mark.parametrize("before", [registered(), complete()])
def test_transition_10_the_league_is_over(before: State) -> None:
    step = play(before, "league over")
    assert step.state.phase is Phase.LEAGUE_COMPLETE
    assert sent(step) == ["LEAGUE_COMPLETED_ACK to league_manager"]
    assert step.state.standings == (ROW,)


def test_transition_11_the_player_shuts_down_once() -> None:
    state = play(finished(), "shutdown").state
    assert state.has_shut_down
    assert refusal(state, "shutdown") == Code.IGNORED


# what got lost


@pytest.mark.parametrize("state", [each() for each in IN_MATCH.values()], ids=list(IN_MATCH))
def test_A14_a_player_that_never_hears_how_its_match_ended_goes_on_with_the_next_round(state: State) -> None:
    over = play(state, "round 1 over").state
    assert (over.phase, over.history[0].result) == (Phase.REGISTERED, None)
    assert play(over, "round 2", "invited R2M1").state.phase is Phase.INVITED_TO_MATCH
    next_match = play(state, "round 2", "invited R2M1")
    assert next_match.state.phase is Phase.INVITED_TO_MATCH
    assert next_match.state.playing.match_id == "R2M1"
    assert timers(next_match) == ["no join", "no choice", "join 4 s"]
    assert play(state, "league over").state.history[0].result is None


def test_A14_news_of_a_round_before_does_not_end_the_match() -> None:
    state = play(complete(), "round 2", "invited R2M1").state
    assert play(state, "round 1 over").state == state
    assert play(complete(), "round 2", "round 1 over").state.phase is Phase.WAITING_FOR_ROUND
    assert play(complete(), "round 2", "round 2 over").state.phase is Phase.REGISTERED
    half = play(complete(), "round 2", "invited R2M1", "ready", "called R2M1", "even", "lost R2M1").state
    late = play(half, "round 1 over")
    assert (late.state, sent(late)) == (half, ["ROUND_COMPLETED_ACK to league_manager"])


def test_A14_a_round_announced_during_a_match_survives_the_end_of_its_own() -> None:
    state = play(chosen(), "round 2", "won R1M1", "round 1 over").state
    assert state.phase is Phase.WAITING_FOR_ROUND
    assert play(state, "invited R2M1").state.phase is Phase.INVITED_TO_MATCH


@pytest.mark.parametrize("words", ["standings", "round 1 over", "league over"])
@pytest.mark.parametrize("before", [registered(), waiting(), invited()])
def test_news_of_another_league_is_refused(words: str, before: State) -> None:
    elsewhere = replace(event_of(before, words), league_id=LeagueId("another"))
    assert refused(before, elsewhere) == Code.WRONG_LEAGUE


def test_only_a_request_is_missed_when_it_cannot_be_delivered() -> None:
    for effect in play(invited(), "ready").effects:
        if isinstance(effect, Send):
            assert effect.on_failure is None
