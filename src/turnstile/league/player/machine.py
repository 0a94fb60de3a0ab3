"""The player: an agent of the Even/Odd league, from its registration to the end of the league.

Which parity to choose is not decided here: a strategy outside says so with an event, and if it is too slow the machine
chooses "even". Requests that are repeated are given the first answer again. More about it: docs/league.md.
"""

from msgspec import UNSET, Raw
from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Disarm, Send
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.league.player import match, rounds
from turnstile.league.player.state import (
    BETWEEN_MATCHES,
    IN_MATCH,
    ChoiceMade,
    Code,
    MoveMade,
    Options,
    Phase,
    PlayerStartup,
    PlayerTimeout,
    Question,
    ReadyToJoin,
    ShutdownInitiated,
    State,
)
from turnstile.league.protocol import messages
from turnstile.league.protocol.values import PlayerMeta
from turnstile.league.protocol.words import Awaited, Registration
from turnstile.league.registering import REGISTER_TIMER, Registering, accepted
from turnstile.league.trust import opens_match

PLAYS, SITS_OUT, NOTHING_NEW = "plays", "sits out", "nothing new"
UNHEARD = "the match is over unheard"
EARLIER = "of an earlier round"
QUEUED = "a queued round is played"
QUEUED_WITHOUT = "sits out a queued round"


# start


def new(options: Options, seed: Seed) -> State:
    """A player that is not registered yet."""
    meta = PlayerMeta(
        display_name=options.display_name,
        version=options.version,
        game_types=options.game_types,
        contact_endpoint=options.contact_endpoint,
        registration_secret=options.registration_secret or UNSET,
    )
    accepts = options.accepts_unannounced
    return State(phase=Phase.UNREGISTERED, name=options.display_name, meta=meta, seed=seed, accepts_unannounced=accepts)


player: Machine[State] = Machine(
    "player",
    Phase,
    start=Phase.UNREGISTERED,
    ends=(Phase.LEAGUE_COMPLETE, Phase.UNREGISTERED),
    state=State,
    messages=messages.FromPlayer,
    codes=Code,
)


# registration


registering: Registering[State] = Registering(
    unregistered=Phase.UNREGISTERED,
    registering=Phase.REGISTERING,
    message=lambda state: messages.LeagueRegisterRequest(player_meta=state.meta),
    awaited=Awaited.LEAGUE_REGISTER_RESPONSE,
    expired=PlayerTimeout,
    stale=match.STALE,
)
registering.add_rows(player, PlayerStartup)


@player.on(
    Phase.REGISTERING,
    messages.LeagueRegisterResponse,
    to={"ACCEPTED": Phase.REGISTERED, QUEUED: Phase.WAITING_FOR_ROUND, "REJECTED": Phase.UNREGISTERED},
)
def register(state: State, event: messages.LeagueRegisterResponse) -> Next[State] | Rejection:
    """Transitions 2a and 2b. The player has an id and a token; or it was rejected.

    If its name is taken it tries three others; for any other reason it gives up. A round that was announced too early
    is acknowledged now that the player knows who it is (transition 3).
    """
    if event.status is Registration.REJECTED:
        return registering.reject(state, event.reason)
    if not event.player_id:
        return Rejection(Code.IGNORED, "A player that is accepted is given an id.")
    after = replace(accepted(state, event), phase=Phase.REGISTERED, player_id=event.player_id)
    queued = after.queued
    if queued is None or rounds.refuse_league(after, queued.league_id):
        return Next(replace(after, queued=None), Disarm(REGISTER_TIMER))
    ready = rounds.wait_between_matches(rounds.dequeue_round(after))
    return Next(ready, Disarm(REGISTER_TIMER), rounds.acknowledge_round(after, queued))


# rounds

player.on(Phase.REGISTERING, messages.RoundAnnouncement, to=Phase.REGISTERING)(rounds.queue_round)
_HEARD = {PLAYS: Phase.WAITING_FOR_ROUND, SITS_OUT: Phase.REGISTERED}
_HEARD_AFTER_MATCH = {**_HEARD, NOTHING_NEW: Phase.MATCH_COMPLETE}
player.on(Phase.REGISTERED, messages.RoundAnnouncement, to=_HEARD)(rounds.hear_of_round)
player.on(Phase.WAITING_FOR_ROUND, messages.RoundAnnouncement, to=_HEARD)(rounds.hear_of_round)
player.on(Phase.MATCH_COMPLETE, messages.RoundAnnouncement, to=_HEARD_AFTER_MATCH)(rounds.hear_of_round)
for _phase in IN_MATCH:
    _heard = {"goes on": _phase, "another referee": Phase.WAITING_FOR_ROUND}
    player.on(_phase, messages.RoundAnnouncement, to=_heard)(rounds.hear_of_round_in_match)


# an invitation

player.on(Phase.WAITING_FOR_ROUND, messages.GameInvitation, to=Phase.INVITED_TO_MATCH)(match.be_invited)
player.on(Phase.MATCH_COMPLETE, messages.GameInvitation, to=Phase.INVITED_TO_MATCH)(match.be_invited)
player.on(Phase.REGISTERED, messages.GameInvitation, to=Phase.INVITED_TO_MATCH)(match.be_invited_early)
player.on(Phase.INVITED_TO_MATCH, messages.GameInvitation, to=Phase.INVITED_TO_MATCH)(match.be_invited_again)
for _phase in IN_MATCH[1:]:
    player.on(_phase, messages.GameInvitation, to={"repeated": _phase, UNHEARD: Phase.INVITED_TO_MATCH})(
        match.be_invited_again
    )
player.on(Phase.INVITED_TO_MATCH, ReadyToJoin, to=Phase.WAITING_FOR_CHOICE_REQUEST)(match.join)
player.on(Phase.INVITED_TO_MATCH, PlayerTimeout, to=Phase.WAITING_FOR_CHOICE_REQUEST)(match.join_late)


# the match

player.on(Phase.WAITING_FOR_CHOICE_REQUEST, messages.ChooseParityCall, to=Phase.CHOOSING_PARITY)(match.be_called)
player.on(Phase.CHOOSING_PARITY, messages.ChooseParityCall, to=Phase.CHOOSING_PARITY)(match.be_called)
player.on(Phase.WAITING_FOR_RESULT, messages.ChooseParityCall, to=Phase.WAITING_FOR_RESULT)(match.be_called)
_ASKED = {"repeated": Phase.WAITING_FOR_RESULT, "another move": Phase.CHOOSING_PARITY}
player.on(Phase.WAITING_FOR_CHOICE_REQUEST, messages.GameMoveCall, to=Phase.CHOOSING_PARITY)(match.be_asked)
player.on(Phase.CHOOSING_PARITY, messages.GameMoveCall, to=Phase.CHOOSING_PARITY)(match.be_asked)
player.on(Phase.WAITING_FOR_RESULT, messages.GameMoveCall, to=_ASKED)(match.be_asked)
player.on(Phase.CHOOSING_PARITY, ChoiceMade, to=Phase.WAITING_FOR_RESULT)(match.choose)
player.on(Phase.CHOOSING_PARITY, MoveMade, to=Phase.WAITING_FOR_RESULT)(match.move)
player.on(Phase.CHOOSING_PARITY, PlayerTimeout, to=Phase.WAITING_FOR_RESULT)(match.choose_late)


# the end of a match, of a round and of the league

_ENDED = {"over": Phase.MATCH_COMPLETE, QUEUED: Phase.WAITING_FOR_ROUND, QUEUED_WITHOUT: Phase.REGISTERED}
player.on(Phase.MATCH_COMPLETE, messages.GameOver, to=Phase.MATCH_COMPLETE)(match.end_match_again)
for _phase in IN_MATCH:
    player.on(_phase, messages.GameError, to=_phase)(match.hear_of_error)
    player.on(_phase, messages.GameOver, to=_ENDED)(match.end_match)
    _round_over = {UNHEARD: Phase.REGISTERED, QUEUED: Phase.WAITING_FOR_ROUND, EARLIER: _phase}
    player.on(_phase, messages.RoundCompleted, to=_round_over)(rounds.end_round)
player.on(Phase.REGISTERED, messages.RoundCompleted, to=Phase.REGISTERED)(rounds.end_round)
for _phase in (Phase.WAITING_FOR_ROUND, Phase.MATCH_COMPLETE):
    player.on(_phase, messages.RoundCompleted, to={"over": Phase.REGISTERED, EARLIER: _phase})(rounds.end_round)
for _phase in (*BETWEEN_MATCHES, *IN_MATCH):
    player.on(_phase, messages.LeagueStandingsUpdate, to=_phase)(rounds.hear_of_standings)
    player.on(_phase, messages.LeagueCompleted, to=Phase.LEAGUE_COMPLETE)(rounds.end_league)


@player.on(Phase.LEAGUE_COMPLETE, ShutdownInitiated, to=Phase.LEAGUE_COMPLETE)
def shut_down(state: State, event: ShutdownInitiated) -> State | Rejection:
    """Transition 11. The player's process ends."""
    if state.has_shut_down:
        return Rejection(Code.IGNORED, "The player has shut down.")
    return replace(state, has_shut_down=True)


# what is ignored, and why

WHY = {
    Phase.UNREGISTERED: "The player is not registered.",
    Phase.REGISTERING: "The registration of the player is not complete.",
    Phase.REGISTERED: "The player is registered, and in no match.",
    Phase.WAITING_FOR_ROUND: "The player waits for an invitation to its match.",
    Phase.INVITED_TO_MATCH: "The player has not joined the match yet.",
    Phase.WAITING_FOR_CHOICE_REQUEST: "The player waits to be asked for its choice.",
    Phase.CHOOSING_PARITY: "The player is choosing.",
    Phase.WAITING_FOR_RESULT: "The player waits for the result of its match.",
    Phase.MATCH_COMPLETE: "The match is over.",
    Phase.LEAGUE_COMPLETE: "The league is over.",
}
for _phase, _why in WHY.items():
    player.close([_phase], Rejection(Code.IGNORED, _why))


# for hosts


def resumed(state: State) -> list[Send]:
    """The calls that still await an answer, to be made again after a restart. Timers come with the log."""
    return registering.resumed(state)


def wanted(state: State) -> PlayerStartup | ReadyToJoin | Question | None:
    """What a player wants of its host now, after any step and after a restart.

    A player with a `failure` has ended its process. When the process is started again, the player registers again.
    """
    match state.phase:
        case Phase.UNREGISTERED if registering.wants_to_start(state):
            return PlayerStartup()
        case Phase.INVITED_TO_MATCH:
            return ReadyToJoin()
        case Phase.CHOOSING_PARITY:
            return _question(state)
        case _:
            return None


def _question(state: State) -> Question:
    playing = state.playing
    return Question(
        match_id=playing.match_id,
        round_id=playing.round_id,
        player_id=state.me,
        opponent_id=playing.opponent_id,
        standings=state.standings,
        statistics=state.statistics,
        history=state.history,
        your_standings=playing.your_standings,
        deadline=playing.deadline,
        move=playing.asked,
    )


def decision_event(question: Question, choice: str | Raw) -> ChoiceMade | MoveMade:
    """The answer of a strategy to a question, as an event for the player."""
    if question.move is None:
        return ChoiceMade(match_id=question.match_id, parity_choice=str(choice))
    move = choice if isinstance(choice, Raw) else Raw(choice.encode())
    return MoveMade(match_id=question.match_id, move_number=question.move.number, choice=move)


def is_believed(state: State, event: messages.FromReferee, shown: str | None) -> bool:
    """Whether a message is from the referee of its match, by the token that it shows.

    If the match was announced with a key, the token must be that key. Without a key every sender is believed.
    """
    me, announced = state.player_id, state.announcements_of(event.match_id)
    keys = [] if me is None else [key for each in announced if (key := each.key_of(me)) is not None]
    return opens_match(keys, shown)
