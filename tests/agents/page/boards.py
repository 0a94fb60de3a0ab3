"""Boards of leagues that were never played, for looking at pages."""

from typing import Any

from msgspec.structs import replace

from turnstile.agents.page.scoreboard import Health, MatchEntry, Place, Progress, Result, Round, Scoreboard, gains
from turnstile.games.evenodd import Parity, drawn_number, parity_of
from turnstile.kernel.chance import Seed, commit
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.words import LeagueId, MatchId, RefereeId, Status

NAMES = ("Juniper", "Sorrel", "Rowan", "Alder", "Hazel", "Bryony")
HOSTILE = '<script>alert("x")</script>\u202egnp.exe'


def result(one: PlayerId, other: PlayerId, seed: Seed) -> Result:
    number = drawn_number(seed, 0)
    choices = {one: Parity.EVEN, other: Parity.ODD}
    if seed.endswith("3"):
        status, winner, shown = Status.TECHNICAL_LOSS, one, None
    elif seed.endswith("4"):
        choices[other] = Parity.EVEN
        status, winner, shown = Status.DRAW, None, number
    else:
        right = next(player for player, choice in choices.items() if choice is parity_of(number))
        status, winner, shown = Status.WIN, right, number
    return Result(
        status=status,
        winner=winner,
        choices=ByPlayer(choices),
        drawn_number=shown,
        seed=seed,
        commitment=commit(seed),
    )


def board(played: int = 4, names: tuple[str, ...] = NAMES) -> Scoreboard:
    """A league of six, of which so many rounds are played."""
    players = [PlayerId(f"P{index:02}") for index in range(1, len(names) + 1)]
    rounds = tuple(
        Round(round_id=number, matches=tuple(_matches(players, number, number <= played)))
        for number in range(1, len(players))
    )
    places = _places(players, names, rounds)
    agents = (
        Health(
            address="referee:REF01",
            display_name="Whistle",
            condition="answers",
            is_well=True,
            last_heard="2026-11-15T09:10:02Z",
        ),
        Health(address="referee:REF02", display_name="Flag", condition="given up", is_well=False, matches_under_way=2),
    )
    progress = Progress.COMPLETED if played == len(rounds) else Progress.RUNNING
    return Scoreboard(
        league_id=LeagueId("league_2025_even_odd"),
        progress=progress,
        places=places,
        rounds=rounds,
        agents=agents,
        current_round=min(played + 1, len(rounds)),
        total_rounds=len(rounds),
        matches_completed=sum(each.finished for each in rounds),
        total_matches=sum(len(each.matches) for each in rounds),
    )


def ecard_board() -> Scoreboard:
    """The same league, over, as one of E-Card: seeds and scores, and neither numbers nor choices."""
    over = board(5)
    return replace(over, game_type="e-card", rounds=tuple(map(_as_ecard, over.rounds)))


def _as_ecard(played: Round) -> Round:
    def told(match: MatchEntry) -> MatchEntry:
        assert match.result is not None
        is_to_the_end = match.result.status is not Status.TECHNICAL_LOSS
        scores = ByPlayer({player: 4 + gained for player, gained in gains(match).items()} if is_to_the_end else {})
        return replace(match, result=replace(match.result, choices=ByPlayer(), drawn_number=None, scores=scores))

    return replace(played, matches=tuple(map(told, played.matches)))


def with_first_draw(honest: Scoreboard, **changed: Any) -> Scoreboard:
    """The board, with another result of the first match; it is one that was played to its end."""
    first = honest.rounds[0]
    match = first.matches[0]
    assert match.result is not None
    assert match.result.status is not Status.TECHNICAL_LOSS
    matches = (replace(match, result=replace(match.result, **changed)), *first.matches[1:])
    return replace(honest, rounds=(replace(first, matches=matches), *honest.rounds[1:]))


def _matches(players: list[PlayerId], number: int, is_played: bool) -> list[MatchEntry]:
    order = [players[0], *(players[1:][(index - number) % (len(players) - 1)] for index in range(len(players) - 1))]
    pairs = [(order[index], order[-1 - index]) for index in range(len(order) // 2)]
    return [
        MatchEntry(
            match_id=MatchId(f"R{number}M{index}"),
            player_a=one,
            player_b=other,
            referee=RefereeId("REF01"),
            progress=Progress.COMPLETED if is_played else Progress.RUNNING,
            result=result(one, other, Seed(f"seed {number} {index * number}")) if is_played else None,
        )
        for index, (one, other) in enumerate(pairs, start=1)
    ]


def _places(players: list[PlayerId], names: tuple[str, ...], rounds: tuple[Round, ...]) -> tuple[Place, ...]:
    points = dict.fromkeys(players, 0)
    for match in (match for each in rounds for match in each.matches):
        for player, gained in gains(match).items():
            points[player] += gained
    order = sorted(players, key=lambda player: (-points[player], player))
    return tuple(
        Place(
            rank=rank,
            player_id=player,
            display_name=names[players.index(player)],
            played=4,
            wins=points[player] // 3,
            draws=points[player] % 3,
            losses=4 - points[player] // 3 - points[player] % 3,
            technical_losses=0,
            points=points[player],
        )
        for rank, player in enumerate(order, start=1)
    )
