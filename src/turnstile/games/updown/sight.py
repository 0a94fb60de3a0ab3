"""What a player of Up-Down sees, and what it may do."""

from turnstile.games.updown.hand import playable
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import PlayerView, forbidden_bet
from turnstile.games.updown.state import SEATS, Phase, State, View, hand_of, round_of, seat_of
from turnstile.kernel.values import PlayerId


def view(state: State, player: PlayerId | None) -> View:
    """The match as `player` sees it; `None` looks on from outside. Never another's hand, never the seed."""
    return View(
        phase=state.phase,
        players=tuple(
            PlayerView(
                id=each.id,
                hand=each.hand if each.id == player else None,
                hand_size=len(each.hand),
                bet=each.bet,
                hands_won=each.hands_won,
                score=each.score,
            )
            for each in state.players
        ),
        player_order=state.player_order,
        current_round=state.current_round,
        round_sequence=state.round_sequence,
        completed_rounds=state.completed_rounds,
    )


def actions(state: State, player: PlayerId) -> tuple[StartGame, ...] | tuple[PlaceBet, ...] | tuple[PlayCard, ...]:
    """The start for the admin; every bet or card that is legal for whose turn it is; nothing while no phase waits."""
    match state.phase:
        case Phase.WAITING:
            is_due = len(state.players) in SEATS and player == state.players[0].id
            return (StartGame(player),) if is_due else ()
        case Phase.BETTING:
            return _bets(state, player)
        case Phase.PLAYING_HAND:
            return _cards(state, player)
    return ()


def _bets(state: State, player: PlayerId) -> tuple[PlaceBet, ...]:
    current = round_of(state)
    if player != current.betting_order[current.current_betting_index]:
        return ()
    forbidden = forbidden_bet(current, state.players)
    return tuple([PlaceBet(player, bet) for bet in range(current.cards_per_player + 1) if bet != forbidden])


def _cards(state: State, player: PlayerId) -> tuple[PlayCard, ...]:
    _, hand = hand_of(state)
    if player != hand.hand_order[hand.current_player_index]:
        return ()
    held = state.players[seat_of(state, player)].hand
    return tuple([PlayCard(player, card) for card in playable(held, hand.pinta)])
