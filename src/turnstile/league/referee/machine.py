"""The referee: one match of the league, from the invitation of its players to the report of its result.

Messages, silences and failures of the network all come in as events; what is to be sent and which timer is to run goes
out as effects. The machine knows no network, no store and no clock. More about it: docs/league.md.
"""

from turnstile.kernel.machine import Machine, Rejection
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    ChooseParityResponse,
    GameError,
    GameInvitation,
    GameJoinAck,
    GameMoveCall,
    GameMoveResponse,
    GameOver,
    GameOverAck,
    LeagueQuery,
    LeagueQueryResponse,
    MatchResultAck,
    MatchResultReport,
)
from turnstile.league.protocol.words import DeliveryFailed, RefereeId
from turnstile.league.referee import ending, play
from turnstile.league.referee.calls import mark_unreached
from turnstile.league.referee.state import (
    CleanupComplete,
    Code,
    MatchAssigned,
    MatchWithdrawn,
    Phase,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
    TimeoutPlayerA,
    TimeoutPlayerB,
)

RETRY = "retries are left"
WAITS_ON = "retries are left, or the other may answer"
EXHAUSTED = "exhausted"
NOTIFIED = "players_notified"
IN_MATCH = (Phase.WAITING_FOR_PLAYERS, Phase.COLLECTING_CHOICES, Phase.NOTIFYING_PLAYERS, Phase.REPORTING_RESULT)


# start


def new(referee: RefereeId) -> State:
    """A registered referee without a match."""
    return State(phase=Phase.IDLE, referee_id=referee)


referee: Machine[State] = Machine(
    "referee",
    Phase,
    start=Phase.IDLE,
    ends=(Phase.MATCH_COMPLETE,),
    state=State,
    messages=GameInvitation | ChooseParityCall | GameMoveCall | GameOver | GameError | LeagueQuery | MatchResultReport,
    codes=Code,
)


# waiting for players

referee.on(Phase.IDLE, MatchAssigned, to=Phase.WAITING_FOR_PLAYERS)(play.assign)
referee.on(
    Phase.WAITING_FOR_PLAYERS,
    GameJoinAck,
    to={
        "one player": Phase.WAITING_FOR_PLAYERS,
        "both_players_arrived": Phase.COLLECTING_CHOICES,
        "declined, or the other is out": Phase.NOTIFYING_PLAYERS,
    },
)(play.join)
referee.on(Phase.WAITING_FOR_PLAYERS, ChooseParityResponse, to=Phase.WAITING_FOR_PLAYERS)(play.complain_of_early_choice)
referee.on(Phase.WAITING_FOR_PLAYERS, GameMoveResponse, to=Phase.WAITING_FOR_PLAYERS)(play.complain_of_early_choice)
referee.on(Phase.WAITING_FOR_PLAYERS, DeliveryFailed, to=Phase.WAITING_FOR_PLAYERS)(mark_unreached)
for _phase in (Phase.WAITING_FOR_PLAYERS, Phase.COLLECTING_CHOICES):
    for _expiry in (TimeoutPlayerA, TimeoutPlayerB):
        referee.on(_phase, _expiry, to={WAITS_ON: _phase, EXHAUSTED: Phase.NOTIFYING_PLAYERS})(play.call_again)


# collecting choices

referee.on(Phase.COLLECTING_CHOICES, LeagueQueryResponse, to=Phase.COLLECTING_CHOICES)(play.call_with_standings)
referee.on(Phase.COLLECTING_CHOICES, TimeoutLeagueManager, to=Phase.COLLECTING_CHOICES)(play.call_without_standings)
referee.on(Phase.COLLECTING_CHOICES, DeliveryFailed, to=Phase.COLLECTING_CHOICES)(play.call_failed)
referee.on(
    Phase.COLLECTING_CHOICES,
    ChooseParityResponse,
    to={
        "one player": Phase.COLLECTING_CHOICES,
        "both players": Phase.DRAWING_NUMBER,
        "exhausted, or the other is out": Phase.NOTIFYING_PLAYERS,
    },
)(play.choose)
referee.on(
    Phase.COLLECTING_CHOICES,
    GameMoveResponse,
    to={"the match goes on": Phase.COLLECTING_CHOICES, "it is over": Phase.NOTIFYING_PLAYERS},
)(play.move)
referee.auto(Phase.DRAWING_NUMBER, to={"number_drawn": Phase.NOTIFYING_PLAYERS})(ending.draw_number)


# notifying players

referee.on(
    Phase.NOTIFYING_PLAYERS,
    GameOverAck,
    to={"one player": Phase.NOTIFYING_PLAYERS, NOTIFIED: Phase.REPORTING_RESULT},
)(ending.acknowledge)
referee.on(Phase.NOTIFYING_PLAYERS, TimeoutNotification, to={NOTIFIED: Phase.REPORTING_RESULT})(
    ending.go_on_unacknowledged
)
referee.on(
    Phase.NOTIFYING_PLAYERS,
    DeliveryFailed,
    to={RETRY: Phase.NOTIFYING_PLAYERS, NOTIFIED: Phase.REPORTING_RESULT},
)(ending.notification_failed)
for _expiry in (TimeoutPlayerA, TimeoutPlayerB):
    referee.on(Phase.NOTIFYING_PLAYERS, _expiry, to=Phase.NOTIFYING_PLAYERS)(ending.notify_again)


# reporting the result

referee.on(Phase.REPORTING_RESULT, MatchResultAck, to=Phase.MATCH_COMPLETE)(ending.accept_acknowledgement)
referee.on(
    Phase.REPORTING_RESULT,
    TimeoutLeagueManager,
    to={RETRY: Phase.REPORTING_RESULT, EXHAUSTED: Phase.MATCH_COMPLETE},
)(ending.report_again)
referee.on(Phase.MATCH_COMPLETE, CleanupComplete, to=Phase.IDLE)(ending.clean_up)
for _phase in IN_MATCH:
    referee.on(_phase, MatchWithdrawn, to=Phase.IDLE)(ending.withdraw)


# what is ignored, and why

IGNORED = {
    Phase.IDLE: "There is no match.",
    Phase.WAITING_FOR_PLAYERS: "The referee waits for the players of its match to join.",
    Phase.COLLECTING_CHOICES: "Both players have joined; the referee waits for their choices.",
    Phase.NOTIFYING_PLAYERS: "The match is over; its players are being told.",
    Phase.REPORTING_RESULT: "The match is over; its result is being reported.",
    Phase.MATCH_COMPLETE: "The match is over and reported.",
}
for _phase, _why in IGNORED.items():
    referee.close([_phase], Rejection(Code.IGNORED, _why))
