"""The player in a small world: a league of three rounds, and every order of all that may happen to it.

In the first round it has one match, in the second it has two, in the third none. The manager may accept or reject it,
announce rounds early, late, twice, in any order, for another league and with another referee; referees may invite,
call, complain and end matches in any order, for matches of its own and of others; every timer may run out; the strategy
may choose well, badly or never; any message may be missing. What the player turns down leads nowhere and is not walked.
"""

from collections.abc import Hashable, Iterator
from itertools import product

from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import ByPlayer, Event, PlayerId
from turnstile.league.player.machine import new, player
from turnstile.league.player.play import is_past, is_to_play
from turnstile.league.player.state import (
    IN_MATCH,
    MOST_KEPT,
    ChoiceMade,
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
    GameError,
    GameInvitation,
    GameOver,
    LeagueCompleted,
    LeagueRegisterResponse,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.values import AnnouncedMatch, Champion, ChoiceContext, GameResult, RetryInfo
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


def worlds() -> Iterator[World[State]]:
    """Once as it is by default, and once with a player that takes any invitation."""
    for unannounced in (False, True):
        yield World(
            machine=player,
            starts=[new(Options(accepts_unannounced=unannounced), Seed("a seed"))],
            moves=moves,
            over=lambda state: state.failure is not None or state.has_shut_down,
            violation=violation,
            state_key=state_key,
            setting=f"a league of 3 rounds, {'any' if unannounced else 'announced'} invitations",
        )


# what can happen


def moves(state: State) -> Iterator[Event]:
    """All of what may happen that the player does not turn down."""
    return (event for event in HAPPENINGS if not isinstance(player.apply(state, event), Rejection))


def happenings() -> Iterator[Event]:
    """Anything that may happen to a player, in whatever phase it is."""
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
    yield LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=ME, auth_token="tok", league_id=LEAGUE)  # noqa: S106
    yield LeagueRegisterResponse(status=Registration.ACCEPTED)
    for reason in (DUPLICATE_NAME, "League full"):
        yield LeagueRegisterResponse(status=Registration.REJECTED, reason=reason)


def _rounds(league: LeagueId) -> Iterator[Event]:
    for round_id in ROUNDS:
        yield from (announced(round_id, league, referee) for referee in ("REF01", "REF02"))
        yield RoundCompleted(league_id=league, round_id=round_id, next_round_id=None, matches_played=1)
    yield LeagueStandingsUpdate(league_id=league, round_id=1, standings=())
    champion = Champion(player_id=OTHER, display_name="Other", points=3)
    yield LeagueCompleted(league_id=league, total_rounds=3, total_matches=3, champion=champion, final_standings=())


def announced(round_id: int, league: LeagueId, referee: str) -> RoundAnnouncement:
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
    return RoundAnnouncement(league_id=league, round_id=round_id, matches=matches)


def _match(round_id: int, match: MatchId, referee: Address) -> Iterator[Event]:
    for addressee in (ME, OTHER):
        yield GameInvitation(
            sender=referee,
            match_id=match,
            league_id=LEAGUE,
            round_id=round_id,
            role_in_match=Role.PLAYER_A,
            opponent_id=OTHER,
            player_id=addressee,
        )
        context = ChoiceContext(opponent_id=OTHER, round_id=round_id)
        yield ChooseParityCall(sender=referee, match_id=match, player_id=addressee, context=context)
    yield from (ChoiceMade(match_id=match, parity_choice=word) for word in ("even", "odd", "seven"))
    yield complaint(match, referee)
    yield from (GameOver(sender=referee, match_id=match, game_result=result) for result in (WON, None))


def complaint(match: MatchId, referee: Address) -> GameError:
    return GameError(
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
    """Every timer that could have been armed, and every request for registration that could have got lost."""
    for count in range((MAX_RETRIES + 1) ** 2):
        awaited = Awaited.LEAGUE_REGISTER_RESPONSE
        yield PlayerTimeout(match_id=None, waiting_for=awaited, retry_count=count)
        yield DeliveryFailed(to=LEAGUE_MANAGER, match_id=None, waiting_for=awaited, retry_count=count)
    for (_, match), awaited in product(MATCHES, (Awaited.GAME_JOIN_ACK, Awaited.CHOOSE_PARITY_RESPONSE)):
        yield PlayerTimeout(match_id=match, waiting_for=awaited, retry_count=0)


HAPPENINGS = tuple(dict.fromkeys(happenings()))


# what must be so


def violation(state: State) -> str | None:
    """What is wrong with a player; `None` for every one that can be reached."""
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    is_registered = state.player_id is not None
    if is_registered != (state.phase not in BEFORE_LEAGUE):
        yield "Who is registered has an id."
    if state.match is None and state.phase in WITH_MATCH:
        yield "There is no match."
    if state.phase in IN_MATCH and (state.round is None or state.round.round_id != state.playing.round_id):
        yield "Who is in a match knows its round."
    if state.failure is not None and state.phase is not Phase.UNREGISTERED:
        yield "Who has given up is not registered."
    if state.names_tried not in range(MAX_RETRIES + 1) or state.retry_count not in range(MAX_RETRIES + 1):
        yield "Nothing is tried more than four times."
    if state.queued is not None and state.phase not in (*IN_MATCH, *BEFORE_LEAGUE):
        yield "A round waits, and nothing keeps it from being played."
    if state.phase is Phase.REGISTERED and is_to_play(state):
        yield "Who has a match due waits for it."
    yield from _faults_of_history(state)


def _faults_of_history(state: State) -> Iterator[str]:
    played = [match.match_id for match in state.history]
    rounds = [match.round_id for match in state.history]
    if len(set(played)) < len(played):
        yield "No match is played twice."
    if rounds and (state.round is None or state.round.round_id < rounds[-1]):
        yield "Who has played in a round knows of it."
    if len(played) > MOST_KEPT or sorted(rounds) != rounds:
        yield "The history has the latest matches, in the order of their rounds."
    if state.match is not None and (state.match.match_id in played) != (state.phase not in IN_MATCH):
        yield "A match is in the history when it is over, and not before."
    has_answered = state.match is not None and state.match.has_answered
    if state.phase in IN_MATCH and has_answered != (state.phase is Phase.WAITING_FOR_RESULT):
        yield "Who waits for the result has chosen, and nobody else."
    counted = state.statistics.played
    known = sum(match.result is not None for match in state.history)
    was_cut = len(played) > MOST_KEPT // 2  # to the latest, of which some may have been taken back since
    if counted < known or (counted > known and not was_cut):
        yield "Every result is counted once."
    if not 0 <= state.statistics.technical_losses <= state.statistics.losses:
        yield "A technical loss is a loss."


def state_key(state: State) -> Hashable:
    """What the rest depends on: not how matches ended, nor which table was shown last."""
    if state.phase is Phase.LEAGUE_COMPLETE:
        return state.phase, state.has_shut_down
    registration = (state.names_tried, state.retry_count, state.is_unreached, state.failure)
    match = state.match if state.phase in IN_MATCH else None
    league = (state.queued, state.round, match, frozenset(_ended(state)))
    return state.phase, registration, league, state.has_shut_down


def _ended(state: State) -> Iterator[tuple[MatchId, Address | None]]:
    """The matches that are over, and who ended them where that can still matter: in the latest round."""
    for played in state.history:
        yield played.match_id, None if is_past(state, played.round_id) else played.referee
