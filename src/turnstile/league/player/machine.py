"""The player: an agent of the Even/Odd league, from its registration to the end of the league.

Which parity to choose is not decided here: a strategy outside says so with an event, and if it is too slow the machine
chooses "even". Requests that are repeated are given the first answer again. More about it: docs/league.md.
"""

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Disarm, Send
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.league.player.announcements import hear_of_round, hear_of_round_in_match, queue_until_registered
from turnstile.league.player.moves import be_asked, make_move, move
from turnstile.league.player.play import (
    FALLBACK,
    IGNORED,
    PENDING,
    STALE,
    acknowledge_round,
    ask_strategy,
    begin_match,
    choice_expiry,
    choice_response,
    close_match_unheard,
    dequeue_round,
    join_ack,
    join_expiry,
    make_choice,
    refuse_call,
    refuse_invitation,
    refuse_league,
    refuse_match,
    registering,
    stop_match_timers,
    take_part,
    wait_between_matches,
)
from turnstile.league.player.rounds import end_league, end_match, end_match_again, end_round, hear_of_standings
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
    ReadyToJoin,
    ShutdownInitiated,
    State,
)
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    FromPlayer,
    GameError,
    GameErrorAck,
    GameInvitation,
    GameMoveCall,
    GameOver,
    LeagueCompleted,
    LeagueRegisterResponse,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.values import PlayerMeta
from turnstile.league.protocol.words import DeliveryFailed, Registration
from turnstile.league.registering import REGISTER_TIMER, accepted

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
    messages=FromPlayer,
    codes=Code,
)


# registration

registering.add_rows(player, PlayerStartup, PlayerTimeout, DeliveryFailed)


@player.on(
    Phase.REGISTERING,
    LeagueRegisterResponse,
    to={"ACCEPTED": Phase.REGISTERED, QUEUED: Phase.WAITING_FOR_ROUND, "REJECTED": Phase.UNREGISTERED},
)
def register(state: State, event: LeagueRegisterResponse) -> Next[State] | Rejection:
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
    if queued is None or refuse_league(after, queued.league_id):
        return Next(replace(after, queued=None), Disarm(REGISTER_TIMER))
    return Next(wait_between_matches(dequeue_round(after)), Disarm(REGISTER_TIMER), acknowledge_round(after, queued))


player.on(Phase.REGISTERING, RoundAnnouncement, to=Phase.REGISTERING)(queue_until_registered)


# rounds

_HEARD = {PLAYS: Phase.WAITING_FOR_ROUND, SITS_OUT: Phase.REGISTERED}
player.on(Phase.REGISTERED, RoundAnnouncement, to=_HEARD)(hear_of_round)
player.on(Phase.WAITING_FOR_ROUND, RoundAnnouncement, to=_HEARD)(hear_of_round)
player.on(Phase.MATCH_COMPLETE, RoundAnnouncement, to={**_HEARD, NOTHING_NEW: Phase.MATCH_COMPLETE})(hear_of_round)
for _phase in IN_MATCH:
    player.on(_phase, RoundAnnouncement, to={"goes on": _phase, "another referee": Phase.WAITING_FOR_ROUND})(
        hear_of_round_in_match
    )


# an invitation


@player.on(Phase.WAITING_FOR_ROUND, GameInvitation, to=Phase.INVITED_TO_MATCH)
@player.on(Phase.MATCH_COMPLETE, GameInvitation, to=Phase.INVITED_TO_MATCH)
def be_invited(state: State, event: GameInvitation) -> Next[State] | Rejection:
    """Transitions 4 and 9a. The player is invited to a match of the announced round; its own countdown begins.

    A player that takes unannounced invitations takes any (docs/league.md).
    """
    return refuse_invitation(state, event) or begin_match(state, event)


@player.on(Phase.REGISTERED, GameInvitation, to=Phase.INVITED_TO_MATCH)
def be_invited_early(state: State, event: GameInvitation) -> Next[State] | Rejection:
    """Transition 4. An invitation that no announcement preceded is ignored, unless the player takes any."""
    refused = refuse_invitation(state, event)
    if refused is not None and refused.code == Code.MATCH_NOT_FOUND:
        return Rejection(Code.IGNORED, f"Round {event.round_id} was not announced with this match.")
    return refused or begin_match(state, event)


def be_invited_again(state: State, event: GameInvitation) -> Next[State] | Rejection:
    """A repeated invitation gets the first answer again. An invitation to another match is ignored.

    Unless that match is of a later round: then this one is over, and the player was not told (docs/departures.md).
    """
    if event.match_id == state.playing.match_id:
        if refused := refuse_match(state, event):
            return refused
        return PENDING if state.phase is Phase.INVITED_TO_MATCH else Next(state, join_ack(state))
    after = close_match_unheard(state)
    if event.round_id <= state.playing.round_id or refuse_invitation(after, event):
        return Rejection(Code.IGNORED, f"The player is in {state.playing.match_id}.")
    begun = begin_match(after, event)
    return Next(begun.state, *stop_match_timers(), *begun.effects)


player.on(Phase.INVITED_TO_MATCH, GameInvitation, to=Phase.INVITED_TO_MATCH)(be_invited_again)
for _phase in IN_MATCH[1:]:
    player.on(_phase, GameInvitation, to={"repeated": _phase, UNHEARD: Phase.INVITED_TO_MATCH})(be_invited_again)


# the match


@player.on(Phase.INVITED_TO_MATCH, ReadyToJoin, to=Phase.WAITING_FOR_CHOICE_REQUEST)
def join(state: State, event: ReadyToJoin) -> Next[State]:
    """Transition 5. The player takes part; it always does."""
    return take_part(state)


@player.on(Phase.INVITED_TO_MATCH, PlayerTimeout, to=Phase.WAITING_FOR_CHOICE_REQUEST)
def join_late(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transition 5b. The time to answer is nearly over: the player joins (docs/departures.md)."""
    return take_part(state) if event == join_expiry(state) else STALE


@player.on(Phase.WAITING_FOR_CHOICE_REQUEST, ChooseParityCall, to=Phase.CHOOSING_PARITY)
def be_called(state: State, event: ChooseParityCall) -> Next[State] | Rejection:
    """Transition 6. The player is to choose: its strategy is asked, and its own countdown begins."""
    return refuse_call(state, event) or ask_strategy(state, event, event.context)


@player.on(Phase.CHOOSING_PARITY, ChooseParityCall, to=Phase.CHOOSING_PARITY)
def be_called_twice(state: State, event: ChooseParityCall) -> Rejection:
    """A repeated call changes nothing: the strategy is thinking."""
    return refuse_call(state, event) or PENDING


@player.on(Phase.WAITING_FOR_RESULT, ChooseParityCall, to=Phase.WAITING_FOR_RESULT)
def be_called_again(state: State, event: ChooseParityCall) -> Next[State] | Rejection:
    """A call that was answered is given the same answer again."""
    return refuse_call(state, event) or Next(state, choice_response(state))


@player.on(Phase.CHOOSING_PARITY, ChoiceMade, to=Phase.WAITING_FOR_RESULT)
def choose(state: State, event: ChoiceMade) -> Next[State] | Rejection:
    """Transition 7. The strategy has chosen, and the referee is told."""
    if event.match_id != state.playing.match_id or state.playing.asked is not None:
        return IGNORED
    if event.parity_choice not in list(Parity):
        return Rejection(Code.INVALID_CHOICE, 'A strategy says "even" or "odd".')
    return make_choice(state, Parity(event.parity_choice))


@player.on(Phase.CHOOSING_PARITY, PlayerTimeout, to=Phase.WAITING_FOR_RESULT)
def choose_late(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transition 7b. The strategy is too slow: the player says "even", or makes its first move (docs/departures.md)."""
    if event != choice_expiry(state):
        return STALE
    asked = state.playing.asked
    return make_choice(state, FALLBACK) if asked is None else make_move(state, asked, 0)


player.on(Phase.WAITING_FOR_CHOICE_REQUEST, GameMoveCall, to=Phase.CHOOSING_PARITY)(be_asked)
player.on(Phase.CHOOSING_PARITY, GameMoveCall, to=Phase.CHOOSING_PARITY)(be_asked)
player.on(
    Phase.WAITING_FOR_RESULT,
    GameMoveCall,
    to={"repeated": Phase.WAITING_FOR_RESULT, "another move": Phase.CHOOSING_PARITY},
)(be_asked)
player.on(Phase.CHOOSING_PARITY, MoveMade, to=Phase.WAITING_FOR_RESULT)(move)


def hear_of_error(state: State, event: GameError) -> Next[State] | Rejection:
    """The referee complains; what it wants it asks for again, and is then given."""
    if refused := refuse_match(state, event):
        return refused
    return Next(state, Send(event.sender, GameErrorAck(player_id=state.me, match_id=event.match_id)))


for _phase in IN_MATCH:
    player.on(_phase, GameError, to=_phase)(hear_of_error)


# the end of a match, of a round and of the league

player.on(Phase.MATCH_COMPLETE, GameOver, to=Phase.MATCH_COMPLETE)(end_match_again)
_ENDED = {"over": Phase.MATCH_COMPLETE, QUEUED: Phase.WAITING_FOR_ROUND, QUEUED_WITHOUT: Phase.REGISTERED}
for _phase in IN_MATCH:
    player.on(_phase, GameOver, to=_ENDED)(end_match)
for _phase in (*BETWEEN_MATCHES, *IN_MATCH):
    player.on(_phase, LeagueStandingsUpdate, to=_phase)(hear_of_standings)
    player.on(_phase, LeagueCompleted, to=Phase.LEAGUE_COMPLETE)(end_league)
player.on(Phase.REGISTERED, RoundCompleted, to=Phase.REGISTERED)(end_round)
for _phase in (Phase.WAITING_FOR_ROUND, Phase.MATCH_COMPLETE):
    player.on(_phase, RoundCompleted, to={"over": Phase.REGISTERED, EARLIER: _phase})(end_round)
for _phase in IN_MATCH:
    player.on(
        _phase,
        RoundCompleted,
        to={UNHEARD: Phase.REGISTERED, QUEUED: Phase.WAITING_FOR_ROUND, EARLIER: _phase},
    )(end_round)


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
