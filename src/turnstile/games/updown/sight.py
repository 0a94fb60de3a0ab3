"""What a player of Up-Down sees, and what it may do."""

from collections.abc import Callable
from functools import lru_cache

from turnstile.games.updown.hand import playable
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import SEATS, PlayerView, forbidden_bet
from turnstile.games.updown.state import Phase, State, View, hand_of, player_of, round_of
from turnstile.kernel.values import PlayerId

Moves = tuple[StartGame, ...] | tuple[PlaceBet, ...] | tuple[PlayCard, ...]


def view(state: State, player: PlayerId | None) -> View:
    """The match as `player` sees it; `None` looks on from outside. Never another's hand, never the seed."""
    players = [
        PlayerView(
            id=each.id,
            hand=each.hand if each.id == player else None,
            hand_size=len(each.hand),
            bet=each.bet,
            hands_won=each.hands_won,
            score=each.score,
        )
        for each in state.players
    ]
    return View(
        phase=state.phase,
        players=tuple(players),
        player_order=state.player_order,
        current_round=state.current_round,
        round_sequence=state.round_sequence,
        completed_rounds=state.completed_rounds,
    )


def actions(state: State, player: PlayerId) -> Moves:
    """The start for the admin; every bet or card that is legal for whose turn it is; nothing while no phase waits."""
    offer = OFFERS.get(state.phase)
    return () if offer is None else offer(state, player)


def _start(state: State, player: PlayerId) -> tuple[StartGame, ...]:
    is_due = len(state.players) in SEATS and player == state.players[0].id
    return (StartGame(player),) if is_due else ()


def _bets(state: State, player: PlayerId) -> tuple[PlaceBet, ...]:
    current = round_of(state)
    if player != current.betting_order[current.current_betting_index]:
        return ()
    return _bets_up_to(current.cards_per_player, forbidden_bet(current, state.players), player)


@lru_cache(maxsize=4096)
def _bets_up_to(size: int, forbidden: int | None, player: PlayerId) -> tuple[PlaceBet, ...]:
    """Cached, because the same few lists are needed again and again."""
    return tuple([PlaceBet(player, bet) for bet in range(size + 1) if bet != forbidden])


def _cards(state: State, player: PlayerId) -> tuple[PlayCard, ...]:
    _, hand = hand_of(state)
    if player != hand.hand_order[hand.current_player_index]:
        return ()
    moves = []
    for card in playable(player_of(state, player).hand, hand.pinta):
        moves.append(PlayCard(player, card))  # noqa: PERF401 - faster for a few cards
    return tuple(moves)


OFFERS: dict[Phase, Callable[[State, PlayerId], Moves]] = {
    Phase.WAITING: _start,
    Phase.BETTING: _bets,
    Phase.PLAYING_HAND: _cards,
}
"""What each phase that waits for a player offers it."""
