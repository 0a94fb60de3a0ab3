"""A refereed match in words: `play(assigned(), "A joins", "B joins", "standings", "A even", "B odd")`.

The words name who does what; the timers and failures they speak of are those of the call that is waited for now.
"""

from collections.abc import Iterable

from turnstile.kernel import Arm, Disarm, Event, PlayerId, Rejection, Seed, Send, Step
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameError,
    GameJoinAck,
    GameOverAck,
    LeagueQueryResponse,
    MatchResultAck,
)
from turnstile.league.protocol.values import AnnouncedMatch, GameResult, StandingsRow
from turnstile.league.protocol.words import (
    LEAGUE_MANAGER,
    Awaited,
    DeliveryFailed,
    LeagueId,
    MatchId,
    RefereeId,
    player_address,
)
from turnstile.league.referee.calls import expiry_of
from turnstile.league.referee.machine import new, referee
from turnstile.league.referee.state import (
    CleanupComplete,
    MatchAssigned,
    MatchWithdrawn,
    Phase,
    Seat,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
)

A, B, STRANGER = PlayerId("P05"), PlayerId("P02"), PlayerId("P09")
MATCH, ANOTHER = MatchId("R2M1"), MatchId("R2M7")
EVEN_SEED, ODD_SEED = Seed("1"), Seed("2")  # the number is 6, and 7
AWAITED = {
    Phase.WAITING_FOR_PLAYERS: Awaited.GAME_JOIN_ACK,
    Phase.COLLECTING_CHOICES: Awaited.CHOOSE_PARITY_RESPONSE,
    Phase.NOTIFYING_PLAYERS: Awaited.GAME_OVER_ACK,
}
PLAYERS = {"A": A, "B": B, "stranger": STRANGER}


def idle() -> State:
    return new(RefereeId("REF03"))


def assignment(seed: Seed = ODD_SEED, first: PlayerId = A, second: PlayerId = B) -> MatchAssigned:
    match = AnnouncedMatch(
        match_id=MATCH, player_a_id=first, player_b_id=second, referee_endpoint="http://localhost:8003/mcp"
    )
    return MatchAssigned(league_id=LeagueId("league_2025_even_odd"), round_id=2, match=match, seed=seed)


def assigned(seed: Seed = ODD_SEED) -> State:
    return taken(idle(), assignment(seed)).state


def collecting(seed: Seed = ODD_SEED) -> State:
    return play(assigned(seed), "A joins", "B joins", "standings").state


def notifying(seed: Seed = ODD_SEED) -> State:
    return play(collecting(seed), "A odd", "B even").state


def reporting(seed: Seed = ODD_SEED) -> State:
    return play(notifying(seed), "A acks", "B acks").state


def complete() -> State:
    return play(reporting(), "booked").state


def notified_result() -> GameResult:
    result = notifying().result
    assert result is not None
    return result


def row(player: PlayerId, wins: int, draws: int, losses: int) -> StandingsRow:
    return StandingsRow(
        rank=1,
        player_id=player,
        display_name=f"The one called {player}",
        played=wins + draws + losses,
        wins=wins,
        draws=draws,
        losses=losses,
        points=3 * wins + draws,
    )


# what happens


def play(state: State, *words: str) -> Step[State]:
    """The last of these steps."""
    step = None
    for each in words:
        step = taken(state, event_of(state, each))
        state = step.state
    assert step is not None
    return step


def taken(state: State, event: Event) -> Step[State]:
    step = referee.step(state, event)
    assert not isinstance(step, Rejection), step
    return step


def refusal(state: State, words: str) -> str:
    answer = referee.step(state, event_of(state, words))
    assert isinstance(answer, Rejection), answer
    return answer.code


def event_of(state: State, words: str) -> Event:
    match words.split():
        case ["standings"]:
            return LeagueQueryResponse(success=True, standings=(row(A, 1, 0, 0), row(B, 0, 1, 2)))
        case ["booked", *rest]:
            return MatchResultAck(status=" ".join(rest) or "ACCEPTED", match_id=MATCH)
        case ["booked-another"]:
            return MatchResultAck(status="ACCEPTED", match_id=ANOTHER)
        case ["manager", "is", "silent"]:
            return TimeoutLeagueManager(match_id=MATCH, waiting_for=_of_manager(state), retry_count=state.retry_count)
        case ["manager", "is", "unreached"]:
            awaited = _of_manager(state)
            return DeliveryFailed(to=LEAGUE_MANAGER, match_id=MATCH, waiting_for=awaited, retry_count=state.retry_count)
        case ["notification", "is", "over"]:
            return TimeoutNotification(match_id=MATCH, waiting_for=Awaited.GAME_OVER_ACK, retry_count=0)
        case ["cleanup"]:
            return CleanupComplete()
        case ["withdrawn", *rest]:
            return MatchWithdrawn(match_id=ANOTHER if rest else MATCH)
        case [who, "is", "silent"]:
            return expiry_of(state, seat(state, who), AWAITED[state.phase])
        case [who, "is", "unreached"]:
            called, awaited = seat(state, who), AWAITED[state.phase]
            return DeliveryFailed(
                to=player_address(called.player_id),
                match_id=MATCH,
                waiting_for=awaited,
                retry_count=called.retry_count,
            )
        case [who, *what]:
            return _said(PLAYERS[who], " ".join(what))
    raise AssertionError(words)


def _said(player: PlayerId, what: str) -> Event:
    match_id = ANOTHER if what.endswith(" elsewhere") else MATCH
    what = what.removesuffix(" elsewhere")
    if what in ("joins", "declines"):
        return GameJoinAck(match_id=match_id, player_id=player, accept=what == "joins")
    if what == "acks":
        return GameOverAck(match_id=match_id, player_id=player)
    return ChooseParityResponse(match_id=match_id, player_id=player, parity_choice=what)


def _of_manager(state: State) -> Awaited:
    collecting = state.phase is Phase.COLLECTING_CHOICES
    return Awaited.LEAGUE_QUERY_RESPONSE if collecting else Awaited.MATCH_RESULT_ACK


def seat(state: State, who: str) -> Seat:
    return state.seats["AB".index(who)]


# what comes of it


def sent(step: Step[State]) -> list[str]:
    """What was sent, in order: `GAME_INVITATION to player:P05`; of an error its code and name."""
    return [_written(effect) for effect in step.effects if isinstance(effect, Send)]


def _written(effect: Send) -> str:
    said = effect.message
    name = str(type(said).__struct_config__.tag)
    if isinstance(said, GameError):
        name = f"{name} {said.error_code} {said.error_name}"
    return f"{name} to {effect.to}"


def timers(step: Step[State]) -> list[str]:
    """Which timers were armed and disarmed: `player_A 5 s`, `no player_A`."""
    return [
        f"{effect.timer} {effect.seconds:g} s" if isinstance(effect, Arm) else f"no {effect.timer}"
        for effect in step.effects
        if isinstance(effect, Arm | Disarm)
    ]


def errors(step: Step[State]) -> list[GameError]:
    said = (effect.message for effect in step.effects if isinstance(effect, Send))
    return [message for message in said if isinstance(message, GameError)]


def repeated(words: str, times: int) -> Iterable[str]:
    return [words] * times
