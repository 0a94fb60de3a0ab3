"""Who is told what in Up-Down. Every function makes the news of a step from the state that the step has reached."""

from turnstile.games.updown.messages import (
    BetPlaced,
    CardPlayed,
    GameCompleted,
    GameStarted,
    HandCompleted,
    RoundCompleted,
    RoundDealt,
)
from turnstile.games.updown.state import Phase, State, hand_of, highest_total, ids_of, player_of, round_of
from turnstile.kernel.chance import commit
from turnstile.kernel.effects import Tell
from turnstile.kernel.values import ByPlayer, Message


def _to_all(state: State, message: Message) -> Tell:
    return Tell.all(ids_of(state), message)


def game_started(state: State) -> list[Tell]:
    return [_to_all(state, GameStarted(state.player_order, state.round_sequence, commit(state.seed)))]


def hands_dealt(state: State) -> list[Tell]:
    """Each player learns its own hand, the mesa and the order of betting."""
    current = round_of(state)
    number, size, mesa, order = current.round_number, current.cards_per_player, current.mesa, current.betting_order
    return [Tell((ByPlayer({each.id: RoundDealt(number, size, mesa, order, each.hand) for each in state.players}),))]


def bet_placed(state: State) -> list[Tell]:
    current = round_of(state)
    bettor = player_of(state, current.betting_order[current.current_betting_index - 1])
    assert bettor.bet is not None, "this player has just bet"
    return [_to_all(state, BetPlaced(bettor.id, bettor.bet))]


def card_played(state: State) -> list[Tell]:
    _, hand = hand_of(state)
    last = hand.cards_played[-1]
    return [_to_all(state, CardPlayed(last.player_id, last.card))]


def hand_completed(state: State) -> list[Tell]:
    return [_to_all(state, HandCompleted(round_of(state).completed_hands[-1]))]


def round_completed(state: State) -> list[Tell]:
    """The points of the round; after the last round also the result of the match."""
    done = state.completed_rounds[-1]
    news = [_to_all(state, RoundCompleted(done.round_number, done.results))]
    if state.phase is Phase.GAME_COMPLETE:
        ended = highest_total(state)
        news.append(_to_all(state, GameCompleted(ended.winners, ended.scores, state.seed)))
    return news
