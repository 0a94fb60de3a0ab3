"""What the players of Up-Down are told, shown and offered, and what the table does by itself."""

from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest

from tests.rules.updown.matches import (
    ANA,
    BO,
    CY,
    FOUR,
    THREE,
    TWO,
    betted,
    dealt,
    finished,
    in_phase,
    last_step,
    play,
    round_of,
    seed_for,
    started,
    step,
    through,
    waiting,
)
from turnstile.games.updown.cards import Suit, card, hand
from turnstile.games.updown.hand import HandResult, PlayedCard
from turnstile.games.updown.messages import (
    BetPlaced,
    CardPlayed,
    GameCompleted,
    GameStarted,
    HandCompleted,
    RoundCompleted,
    RoundDealt,
)
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import PlayerResult
from turnstile.games.updown.rules import dealer, game, outcome
from turnstile.games.updown.sight import actions, view
from turnstile.games.updown.state import Phase
from turnstile.kernel import Commitment, PlayerId, Seed, Tell, encode
from turnstile.testing.strategies import RandomMatch

ZOE = PlayerId("zoe")


# Messages


def test_the_start_tells_all_the_order_the_rounds_and_a_commitment_then_each_its_own_hand() -> None:
    seed = seed_for(THREE, BO)
    taken = step(waiting(THREE, 2, seed), "ana starts")
    opening = GameStarted((BO, CY, ANA), (1, 2, 1), Commitment(sha256(seed.encode()).hexdigest()))
    mesa = round_of(taken.state).mesa
    for player in taken.state.players:
        assert taken.told(player.id) == [opening, RoundDealt(1, 1, mesa, (BO, CY, ANA), player.hand)]


@pytest.mark.parametrize("player", THREE)
def test_bets_are_public_as_they_are_made(player: PlayerId) -> None:
    match = dealt("7H", ana="AS", bo="KS", cy="2D")
    assert step(match, "ana bets 1").told(player) == [BetPlaced(ANA, 1)]
    assert step(play(match, "ana bets 1", "bo bets 1"), "cy bets 0").told(player) == [BetPlaced(CY, 0)]


@pytest.mark.parametrize("player", THREE)
def test_a_played_card_is_told_to_all(player: PlayerId) -> None:
    assert step(betted("7H", "0 0 0", ana="AS", bo="KS", cy="2D"), "bo KS").told(player) == [CardPlayed(BO, card("KS"))]


@pytest.mark.parametrize("player", TWO)
def test_the_last_card_of_a_hand_tells_all_who_won_it(player: PlayerId) -> None:
    taken = step(play(betted("7H", "0 0", ana="2D AS", bo="KS 10C"), "bo KS"), "ana AS")
    played = (PlayedCard(BO, card("KS")), PlayedCard(ANA, card("AS")))
    won = HandCompleted(HandResult(1, played, Suit.SPADES, ANA))
    assert taken.told(player) == [CardPlayed(ANA, card("AS")), won]


def test_the_last_card_of_a_round_tells_all_the_scores_and_then_each_its_next_hand() -> None:
    taken = step(play(betted("7H", "0 0", ana="AS", bo="KS"), "bo KS"), "ana AS")
    results = (PlayerResult(ANA, 0, 1, 0, 0), PlayerResult(BO, 0, 0, 10, 10))
    next_round = round_of(taken.state)
    for player in taken.state.players:
        card_played, hand_completed, *rest = taken.told(player.id)
        assert (type(card_played), type(hand_completed)) == (CardPlayed, HandCompleted)
        assert rest == [RoundCompleted(1, results), RoundDealt(2, 2, next_round.mesa, (BO, ANA), player.hand)]


@pytest.mark.parametrize("player", THREE)
def test_the_end_tells_all_the_winners_the_scores_and_the_seed(player: PlayerId) -> None:
    taken = last_step()
    ended = outcome(taken.state)
    assert ended is not None
    assert [type(message) for message in taken.told(player)] == [
        *(CardPlayed, HandCompleted, RoundCompleted, GameCompleted)
    ]
    assert taken.told(player)[-1] == GameCompleted(ended.winners, ended.scores, taken.state.seed)


def test_messages_come_in_batches_of_one_kind_each_to_all_players() -> None:
    taken = step(play(betted("7H", "0 0", ana="AS", bo="KS"), "bo KS"), "ana AS")
    assert all(isinstance(effect, Tell) and len(effect.batches) == 1 for effect in taken.effects)
    batches = [effect.batches[0] for effect in taken.effects if isinstance(effect, Tell)]
    kinds = [{type(message) for message in batch.values()} for batch in batches]
    assert kinds == [{CardPlayed}, {HandCompleted}, {RoundCompleted}, {RoundDealt}]
    assert [tuple(batch) for batch in batches] == [TWO] * 4


# View


def test_a_view_holds_everything_but_the_other_players_hands_and_the_seed() -> None:
    match = play(betted("7H", "1 0", ana="2D AS", bo="KS 10C"), "bo KS")
    written = msgspec.json.decode(encode(match))
    ana, bo = written["players"]
    del written["seed"]
    written["players"] = [{**ana, "handSize": 2}, {**bo, "hand": None, "handSize": 1}]
    assert msgspec.json.decode(encode(view(match, ANA))) == written


def test_another_hand_gives_the_same_view() -> None:
    one = betted("7H", "1 0", ana="2D AS", bo="KS 10C")
    other = betted("7H", "1 0", ana="2D AS", bo="QD 3C")
    assert view(one, ANA) == view(other, ANA)
    assert view(one, None) == view(other, None)
    assert view(one, BO) != view(other, BO)


def test_neighbouring_views_share_the_rounds_and_hands_that_are_finished() -> None:
    match = RandomMatch(game, FOUR, Seed("7"), 10_000, Random(7), {})
    views = [view(state, ANA) for state in match.states]
    assert len(views[-1].completed_rounds) == 13
    for before, after in pairwise(views):
        finished_rounds = zip(before.completed_rounds, after.completed_rounds, strict=False)
        assert all(old is new for old, new in finished_rounds)
        if before.current_round is not None and after.current_round is not None:
            old_hands, new_hands = before.current_round.completed_hands, after.current_round.completed_hands
            assert all(old is new for old, new in zip(old_hands, new_hands, strict=False))


@pytest.mark.parametrize("rounds", range(4))
def test_no_view_has_the_seed_at_any_time(rounds: int) -> None:
    seed = Seed("qqqqqqqq")
    match = through(play(waiting(THREE, 2, seed), "ana starts"), rounds)
    for seen in (match, waiting(THREE, 2, seed)):
        assert all(seed not in encode(view(seen, eyes)).decode() for eyes in (*THREE, ZOE, None))


def test_a_spectator_and_somebody_without_a_seat_see_no_hand() -> None:
    match = betted("7H", "1 0", ana="2D AS", bo="KS 10C")
    assert view(match, ZOE) == view(match, None)
    assert [(player.hand, player.hand_size) for player in view(match, None).players] == [(None, 2), (None, 2)]


# Actions


def test_the_admin_may_start_and_nobody_else() -> None:
    assert [actions(waiting(), player) for player in (*THREE, ZOE)] == [(StartGame(ANA),), (), (), ()]


def test_alone_the_admin_may_not_start() -> None:
    assert actions(waiting((ANA,)), ANA) == ()


def test_whose_turn_it_is_to_bet_may_make_every_legal_bet() -> None:
    match = dealt("7H", ana="2D AS", bo="KS 10C")
    assert actions(match, ANA) == tuple(PlaceBet(ANA, bet) for bet in (0, 1, 2))
    assert actions(match, BO) == actions(match, ZOE) == ()
    assert actions(play(match, "ana bets 1"), BO) == (PlaceBet(BO, 0), PlaceBet(BO, 2))


def test_whose_turn_it_is_to_play_may_play_every_legal_card() -> None:
    match = betted("7H", "1 0", ana="2D AS", bo="KS 10C")
    assert actions(match, BO) == tuple(PlayCard(BO, each) for each in hand("10C KS"))
    assert actions(match, ANA) == actions(match, ZOE) == ()
    assert actions(play(match, "bo KS"), ANA) == (PlayCard(ANA, card("AS")),)
    assert actions(play(match, "bo 10C"), ANA) == tuple(PlayCard(ANA, each) for each in hand("2D AS"))


def test_in_a_phase_that_moves_on_by_itself_nobody_has_anything_to_do() -> None:
    match, way = betted("9S", "0 0 0", ana="2C", bo="3C", cy="4C"), list[Any]()
    game.machine.apply(play(match, "bo 3C", "cy 4C"), PlayCard(ANA, card("2C")), way)
    passed = [state for _, state, _ in way[:-1]]
    assert [state.phase for state in passed] == [Phase.HAND_COMPLETE, Phase.ROUND_COMPLETE, Phase.DEALING]
    assert [actions(state, player.id) for state in passed for player in state.players] == [()] * 9


def test_after_the_end_nobody_has_anything_to_do() -> None:
    assert [actions(finished(), player) for player in THREE] == [()] * 3


# The table itself


def test_the_table_starts_on_behalf_of_its_admin() -> None:
    assert dealer(waiting()) == StartGame(ANA)


def test_the_table_does_not_start_for_one_player() -> None:
    assert dealer(waiting((ANA,))) is None


@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.PLAYING_HAND, Phase.GAME_COMPLETE])
def test_otherwise_the_table_does_nothing_by_itself(phase: Phase) -> None:
    assert dealer(in_phase(phase)) is None


def test_the_game_says_who_it_is() -> None:
    assert (game.name, game.title, game.version, game.seats) == ("up-down", "Up-Down", 1, range(2, 11))
    assert len(started().round_sequence) == 13
