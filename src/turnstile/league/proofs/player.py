"""The player in small worlds: a league of three rounds, and a match of moves, with every order of events.

In the league the player has one match in the first round, two in the second and none in the third. The manager accepts
or rejects it, and announces rounds early, late, twice, in any order, for another league and with another referee.
Referees invite, call, complain and end matches in any order, its own and those of others. Every timer may run out. The
strategy answers well, badly, late or never. Any message may be missing. Rejected events are not walked.

A match of moves stands for all games but Even/Odd: one round, one match, up to three questions. Questions come
repeated, in any order, for other players, and without a number or without options.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product

from msgspec import Raw
from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.values import ByPlayer, Event, PlayerId, encode
from turnstile.league.player.machine import new, player
from turnstile.league.player.rounds import is_past, is_to_play
from turnstile.league.player.state import (
    IN_MATCH,
    MOST_KEPT,
    ChoiceMade,
    MoveMade,
    Options,
    Phase,
    PlayerStartup,
    PlayerTimeout,
    ReadyToJoin,
    ShutdownInitiated,
    State,
)
from turnstile.league.proofs.worlds import accepted_events, state_after
from turnstile.league.protocol import messages
from turnstile.league.protocol.values import (
    AnnouncedMatch,
    Champion,
    ChoiceContext,
    GameResult,
    MoveContext,
    MoveRequest,
    RetryInfo,
)
from turnstile.league.protocol.words import (
    LEAGUE_MANAGER,
    MAX_RETRIES,
    Address,
    Awaited,
    DeliveryFailed,
    ErrorName,
    LeagueId,
    MatchId,
    RefereeId,
    Registration,
    Role,
    Status,
)
from turnstile.league.registering import DUPLICATE_NAME

ME, OTHER = PlayerId("P01"), PlayerId("P02")
LEAGUE, ANOTHER_LEAGUE = LeagueId("league"), LeagueId("another")
REFEREE, ANOTHER_REFEREE = Address("referee:REF01"), Address("referee:REF02")
ROUNDS = {1: (MatchId("R1M1"),), 2: (MatchId("R2M1"), MatchId("R2M2")), 3: ()}
MATCHES = [(round_id, match) for round_id, matches in ROUNDS.items() for match in matches]
STRANGE_MATCH = (3, MatchId("R3M1"))
BEFORE_LEAGUE = (Phase.UNREGISTERED, Phase.REGISTERING)
WITH_MATCH = (*IN_MATCH, Phase.MATCH_COMPLETE)
MOVE_MATCH = MatchId("R1M1")
MOVE_NUMBERS = (1, 2, 3)
LEFT, RIGHT, NONSENSE = (Raw(b'{"type":"%s"}' % kind) for kind in (b"Left", b"Right", b"Nonsense"))


def worlds() -> Iterator[World[State]]:
    """The league with announced and with unannounced invitations, and the match of moves."""
    for unannounced in (False, True):
        start = new(Options(accepts_unannounced=unannounced), Seed("a seed"))
        kind = "any" if unannounced else "announced"
        yield _world(f"a league of 3 rounds, {kind} invitations", start, HAPPENINGS, state_key)
    yield _world("a round with one match, three questions for a move", waiting(), MOVE_HAPPENINGS, move_state_key)


def _world(setting: str, start: State, events: Iterable[Event], state_key: Callable[[State], Hashable]) -> World[State]:
    return World(
        machine=player,
        starts=[start],
        moves=accepted_events(player, events),
        over=lambda state: state.failure is not None or state.has_shut_down,
        violation=violation,
        state_key=state_key,
        setting=setting,
    )


# events in a league of Even/Odd


def happenings() -> Iterator[Event]:
    """All events of a player, in any phase."""
    yield from (PlayerStartup(), ReadyToJoin(), ShutdownInitiated())
    yield from _registration()
    for league in (LEAGUE, ANOTHER_LEAGUE):
        yield from _rounds(league)
    for round_id, referee in product((1, 2), ("REF01", "REF02")):
        yield replace(announced(round_id, LEAGUE, referee), revision=1)
    for (round_id, match), referee in product((*MATCHES, STRANGE_MATCH), (REFEREE, ANOTHER_REFEREE)):
        yield from _match(round_id, match, referee)
    yield from _timers()


def _registration() -> Iterator[Event]:
    registered = messages.LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=ME, league_id=LEAGUE)
    yield replace(registered, auth_token="tok")  # noqa: S106
    yield messages.LeagueRegisterResponse(status=Registration.ACCEPTED)
    for reason in (DUPLICATE_NAME, "League full"):
        yield messages.LeagueRegisterResponse(status=Registration.REJECTED, reason=reason)


def _rounds(league: LeagueId) -> Iterator[Event]:
    for round_id in ROUNDS:
        yield from (announced(round_id, league, referee) for referee in ("REF01", "REF02"))
        yield messages.RoundCompleted(league_id=league, round_id=round_id, next_round_id=None, matches_played=1)
    yield messages.LeagueStandingsUpdate(league_id=league, round_id=1, standings=())
    champion = Champion(player_id=OTHER, display_name="Other", points=3)
    yield messages.LeagueCompleted(
        league_id=league, total_rounds=3, total_matches=3, champion=champion, final_standings=()
    )


def announced(round_id: int, league: LeagueId, referee: str) -> messages.RoundAnnouncement:
    matches = tuple(
        AnnouncedMatch(
            match_id=match,
            player_a_id=ME,
            player_b_id=OTHER,
            referee_endpoint="http://localhost:8001/mcp",
            referee_id=RefereeId(referee),
        )
        for match in ROUNDS[round_id]
    )
    return messages.RoundAnnouncement(league_id=league, round_id=round_id, matches=matches)


def _match(round_id: int, match: MatchId, referee: Address) -> Iterator[Event]:
    for addressee in (ME, OTHER):
        yield messages.GameInvitation(
            sender=referee,
            match_id=match,
            league_id=LEAGUE,
            round_id=round_id,
            role_in_match=Role.PLAYER_A,
            opponent_id=OTHER,
            player_id=addressee,
        )
        context = ChoiceContext(opponent_id=OTHER, round_id=round_id)
        yield messages.ChooseParityCall(sender=referee, match_id=match, player_id=addressee, context=context)
    yield from (ChoiceMade(match_id=match, parity_choice=word) for word in ("even", "odd", "seven"))
    yield complaint(match, referee)
    yield from (messages.GameOver(sender=referee, match_id=match, game_result=result) for result in (WON, None))


def complaint(match: MatchId, referee: Address) -> messages.GameError:
    return messages.GameError(
        sender=referee,
        match_id=match,
        error_code="E001",
        error_name=ErrorName.TIMEOUT_ERROR,
        error_description="TIMEOUT_ERROR",
        affected_player=ME,
        action_required=Awaited.GAME_JOIN_ACK,
        retry_count=1,
        max_retries=MAX_RETRIES,
        retry_info=RetryInfo(retry_count=1, max_retries=MAX_RETRIES),
        consequence="none",
        retryable=True,
    )


WON = GameResult(
    status=Status.WIN,
    winner_player_id=ME,
    drawn_number=7,
    number_parity=Parity.ODD,
    choices=ByPlayer({ME: Parity.ODD, OTHER: Parity.EVEN}),
    reason="7 is odd; only P01 chose odd",
)


def _timers() -> Iterator[Event]:
    """Every timer that could have been armed, and every request for registration that could have been lost."""
    for count in range((MAX_RETRIES + 1) ** 2):
        awaited = Awaited.LEAGUE_REGISTER_RESPONSE
        yield PlayerTimeout(match_id=None, waiting_for=awaited, retry_count=count)
        yield DeliveryFailed(to=LEAGUE_MANAGER, match_id=None, waiting_for=awaited, retry_count=count)
    for (_, match), awaited in product(MATCHES, (Awaited.GAME_JOIN_ACK, Awaited.CHOOSE_PARITY_RESPONSE)):
        yield PlayerTimeout(match_id=match, waiting_for=awaited, retry_count=0)


HAPPENINGS = tuple(dict.fromkeys(happenings()))


# events in a match of moves


def waiting() -> State:
    """A player that knows of its match."""
    registered = messages.LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=ME, league_id=LEAGUE)
    start = new(Options(), Seed("a seed"))
    return state_after(player, start, PlayerStartup(), registered, announced(1, LEAGUE, "REF01"))


def move_happenings() -> Iterator[Event]:
    """The events of its one round, and those of moves."""
    for event in HAPPENINGS:
        if getattr(event, "round_id", 1) == 1 and getattr(event, "match_id", MOVE_MATCH) == MOVE_MATCH:
            yield event
    for number, addressee in product((*MOVE_NUMBERS, None), (ME, OTHER)):
        yield question(number, addressee)
    yield question(MOVE_NUMBERS[-1], ME, ())
    for number, choice in product(MOVE_NUMBERS, (LEFT, NONSENSE)):
        yield MoveMade(match_id=MOVE_MATCH, move_number=number, choice=choice)
    for number in MOVE_NUMBERS:
        yield PlayerTimeout(match_id=MOVE_MATCH, waiting_for=Awaited.GAME_MOVE_RESPONSE, retry_count=number)


def question(
    number: int | None, addressee: PlayerId, options: tuple[Raw, ...] = (RIGHT, LEFT)
) -> messages.GameMoveCall:
    context = MoveContext(opponent_id=OTHER, round_id=1, view=Raw(b'{"number":%d}' % (number or 0)))
    return messages.GameMoveCall(
        sender=REFEREE,
        match_id=MOVE_MATCH,
        player_id=addressee,
        game_type="a game",
        move_number=number,
        move_request=MoveRequest(move_type="any", valid_options=options, context=context),
    )


MOVE_HAPPENINGS = tuple(move_happenings())


# invariants


def violation(state: State) -> str | None:
    """The first invariant that a player violates; `None` for every reachable player."""
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    is_registered = state.player_id is not None
    if is_registered != (state.phase not in BEFORE_LEAGUE):
        yield "A registered player has an id, and no other."
    if state.match is None and state.phase in WITH_MATCH:
        yield "A player in a match knows it."
    if state.phase in IN_MATCH and (state.round is None or state.round.round_id != state.playing.round_id):
        yield "A player in a match knows its round."
    if state.failure is not None and state.phase is not Phase.UNREGISTERED:
        yield "A player that has given up is not registered."
    if state.names_tried not in range(MAX_RETRIES + 1) or state.retry_count not in range(MAX_RETRIES + 1):
        yield "A player tries nothing more than four times."
    if state.queued is not None and state.phase not in (*IN_MATCH, *BEFORE_LEAGUE):
        yield "A round waits only for a match or for the registration."
    if state.phase is Phase.REGISTERED and is_to_play(state):
        yield "A player with a match due waits for it."
    yield from _faults_of_history(state)


def _faults_of_history(state: State) -> Iterator[str]:
    played = [match.match_id for match in state.history]
    rounds = [match.round_id for match in state.history]
    if len(set(played)) < len(played):
        yield "A player plays no match twice."
    if rounds and (state.round is None or state.round.round_id < rounds[-1]):
        yield "A player that has played in a round knows the round."
    if len(played) > MOST_KEPT or sorted(rounds) != rounds:
        yield "The history has the latest matches, in the order of their rounds."
    if state.match is not None and (state.match.match_id in played) != (state.phase not in IN_MATCH):
        yield "A match is in the history only when it is over."
    has_answered = state.match is not None and state.match.has_answered
    if state.phase in IN_MATCH and has_answered != (state.phase is Phase.WAITING_FOR_RESULT):
        yield "A player waits for the result exactly when it has chosen."
    counted = state.statistics.played
    known = sum(match.result is not None for match in state.history)
    was_cut = len(played) > MOST_KEPT // 2  # to the latest matches, of which some may have been taken back since
    if counted < known or (counted > known and not was_cut):
        yield "Every result is counted once."
    if not 0 <= state.statistics.technical_losses <= state.statistics.losses:
        yield "A technical loss is a loss."


def state_key(state: State) -> Hashable:
    """What later events depend on: not past results, nor the latest standings."""
    if state.phase is Phase.LEAGUE_COMPLETE:
        return state.phase, state.has_shut_down
    registration = (state.names_tried, state.retry_count, state.is_unreached, state.failure)
    match = state.match if state.phase in IN_MATCH else None
    league = (state.queued, state.round, match, frozenset(_ended(state)))
    return state.phase, registration, league, state.has_shut_down


def _ended(state: State) -> Iterator[tuple[MatchId, Address | None]]:
    """The past matches, with their referees in the latest round, where these still matter."""
    for played in state.history:
        yield played.match_id, None if is_past(state, played.round_id) else played.referee


def move_state_key(state: State) -> Hashable:
    """The same, with the question and its answer."""
    match = encode(state.match) if state.phase in IN_MATCH else None
    return state_key(replace(state, match=None)), match
