"""A player of the league in words: `play(registered(), "round 1", "invited R1M1", "ready", "called R1M1", "odd")`."""

from turnstile.games.evenodd import Parity, drawn_number, parity_of
from turnstile.kernel import Arm, ByPlayer, Disarm, Event, PlayerId, Rejection, Seed, Send, Step
from turnstile.kernel.chance import commit
from turnstile.league.player import machine
from turnstile.league.player.machine import new, player
from turnstile.league.player.match import choice_expiry, join_expiry
from turnstile.league.player.state import (
    ChoiceMade,
    Options,
    Phase,
    PlayerStartup,
    ReadyToJoin,
    ShutdownInitiated,
    State,
)
from turnstile.league.proofs.player import complaint
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameInvitation,
    GameOver,
    LeagueCompleted,
    LeagueRegisterResponse,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.values import AnnouncedMatch, Champion, ChoiceContext, GameResult, StandingsRow
from turnstile.league.protocol.words import Address, LeagueId, MatchId, RefereeId, Registration, Role, Status

ME, OTHER, THIRD = PlayerId("P05"), PlayerId("P02"), PlayerId("P03")
LEAGUE = LeagueId("league_2025_even_odd")
REFEREE, ANOTHER = Address("referee:REF03"), Address("referee:REF04")
BADGE = "tok-p05"
SEED = Seed("2")  # the number is 7
ROUNDS = {
    1: {"R1M1": (ME, OTHER)},
    2: {"R2M1": (OTHER, ME), "R2M2": (ME, THIRD)},
    3: {"R3M1": (OTHER, THIRD)},
    4: {"R4M1": (ME, THIRD)},
}


def starting(**options: bool) -> State:
    return new(Options(display_name="Juniper", **options), Seed("a seed"))  # type: ignore[arg-type]


def registering() -> State:
    return play(starting(), "starts").state


def registered(**options: bool) -> State:
    return play(starting(**options), "starts", "accepted").state


def waiting() -> State:
    return play(registered(), "round 1").state


def invited() -> State:
    return play(waiting(), "invited R1M1").state


def joined() -> State:
    return play(invited(), "ready").state


def choosing() -> State:
    return play(joined(), "called R1M1").state


def chosen() -> State:
    return play(choosing(), "odd").state


def complete() -> State:
    return play(chosen(), "won R1M1").state


def finished() -> State:
    return play(complete(), "league over").state


IN_MATCH = {
    Phase.INVITED_TO_MATCH: invited,
    Phase.WAITING_FOR_CHOICE_REQUEST: joined,
    Phase.CHOOSING_PARITY: choosing,
    Phase.WAITING_FOR_RESULT: chosen,
}


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
    step = player.step(state, event)
    assert not isinstance(step, Rejection), (event, step)
    return step


def refusal(state: State, words: str) -> str:
    return refused(state, event_of(state, words))


def refused(state: State, event: Event) -> str:
    answer = player.step(state, event)
    assert isinstance(answer, Rejection), answer
    return answer.code


def event_of(state: State, words: str) -> Event:
    match words.split():
        case ["starts"]:
            return PlayerStartup()
        case ["accepted"]:
            return LeagueRegisterResponse(
                status=Registration.ACCEPTED, player_id=ME, auth_token=BADGE, league_id=LEAGUE
            )
        case ["rejected:", *reason]:
            return LeagueRegisterResponse(status=Registration.REJECTED, reason=" ".join(reason))
        case ["manager", "is", "silent"]:
            return machine.registering.expiry(state)
        case ["manager", "is", "unreached"]:
            return machine.registering.failure(state)
        case ["ready"]:
            return ReadyToJoin()
        case ["join", "countdown"]:
            return join_expiry(state)
        case ["choice", "countdown"]:
            return choice_expiry(state)
        case ["even" | "odd" | "seven" as choice]:
            assert state.match is not None
            return ChoiceMade(match_id=state.match.match_id, parity_choice=choice)
        case ["shutdown"]:
            return ShutdownInitiated()
        case _:
            return _from_others(words)


def _from_others(words: str) -> Event:
    match words.split():
        case ["round", number]:
            return announcement(int(number))
        case ["round", number, "over"]:
            return RoundCompleted(league_id=LEAGUE, round_id=int(number), next_round_id=None, matches_played=1)
        case ["standings"]:
            return LeagueStandingsUpdate(league_id=LEAGUE, round_id=1, standings=(ROW,))
        case ["league", "over"]:
            return LeagueCompleted(
                league_id=LEAGUE,
                total_rounds=4,
                total_matches=5,
                champion=Champion(player_id=ME, display_name="Juniper", points=3),
                final_standings=(ROW,),
            )
        case ["invited", match]:
            return invitation(match)
        case ["called", match]:
            return call(match)
        case ["complaint", match]:
            return complaint(MatchId(match), REFEREE)
        case [result, match]:
            return game_over(match, RESULTS[result])
    raise AssertionError(words)


ROW = StandingsRow(rank=1, player_id=ME, display_name="Juniper", played=1, wins=1, draws=0, losses=0, points=3)


def announcement(
    round_id: int,
    league: LeagueId = LEAGUE,
    referee: str | None = "REF03",
    revision: int | None = None,
    reassignments: int | None = None,
) -> RoundAnnouncement:
    matches = tuple(
        AnnouncedMatch(
            match_id=MatchId(match),
            player_a_id=first,
            player_b_id=second,
            referee_endpoint="http://localhost:8003/mcp",
            referee_id=None if referee is None else RefereeId(referee),
            reassignments=reassignments,
        )
        for match, (first, second) in ROUNDS[round_id].items()
    )
    return RoundAnnouncement(league_id=league, round_id=round_id, matches=matches, revision=revision)


def invitation(
    match: str,
    sender: Address = REFEREE,
    league: LeagueId = LEAGUE,
    opponent: PlayerId | None = None,
    player_id: PlayerId | None = ME,
) -> GameInvitation:
    round_id = int(match[1])
    pair = ROUNDS[round_id].get(match, (ME, OTHER))
    return GameInvitation(
        sender=sender,
        match_id=MatchId(match),
        league_id=league,
        round_id=round_id,
        role_in_match=Role.PLAYER_A if pair[0] == ME else Role.PLAYER_B,
        opponent_id=opponent or next(each for each in pair if each != ME),
        player_id=player_id,
    )


def call(match: str, sender: Address = REFEREE, player_id: PlayerId = ME) -> ChooseParityCall:
    context = ChoiceContext(opponent_id=OTHER, round_id=1, commitment=commit(SEED))
    return ChooseParityCall(sender=sender, match_id=MatchId(match), player_id=player_id, context=context)


def result(status: Status, winner: PlayerId | None, number: int | None = 7, seed: Seed | None = SEED) -> GameResult:
    return GameResult(
        status=status,
        winner_player_id=winner,
        drawn_number=number,
        number_parity=None if number is None else parity_of(number),
        choices=ByPlayer({ME: Parity.ODD, OTHER: Parity.EVEN}),
        reason="so it goes",
        seed=seed,
    )


assert drawn_number(SEED, 0) == 7
RESULTS = {
    "won": result(Status.WIN, ME),
    "lost": result(Status.WIN, OTHER),
    "drew": result(Status.DRAW, None),
    "forfeited": result(Status.TECHNICAL_LOSS, OTHER, None),
    "both-forfeited": result(Status.TECHNICAL_LOSS, None, None),
    "by-default": result(Status.TECHNICAL_LOSS, ME, None),
    "garbled": None,
}


def game_over(match: str, how: GameResult | None, sender: Address = REFEREE) -> GameOver:
    return GameOver(sender=sender, match_id=MatchId(match), game_result=how)


# what comes of it


def sent(step: Step[State]) -> list[str]:
    """What was sent, in order: `GAME_JOIN_ACK to referee:REF03`."""
    return [
        f"{type(effect.message).__struct_config__.tag} to {effect.to}"
        for effect in step.effects
        if isinstance(effect, Send)
    ]


def timers(step: Step[State]) -> list[str]:
    """Which timers were armed and disarmed: `join 4 s`, `no join`."""
    return [
        f"{effect.timer} {effect.seconds:g} s" if isinstance(effect, Arm) else f"no {effect.timer}"
        for effect in step.effects
        if isinstance(effect, Arm | Disarm)
    ]
