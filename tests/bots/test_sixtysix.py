"""The attentive bot of 66: it remembers, it wastes no power, and it beats chance. And what `search` knows of 66."""

from random import Random

import pytest
from msgspec.structs import replace

from tests.rules.sixtysix.matches import ALICE, BOB, act, event, play, turn
from turnstile.bots import Bot, random_bot
from turnstile.bots.sixtysix import attentive, prospects, unseen, vary
from turnstile.games.sixtysix.cards import DECK, Seat
from turnstile.games.sixtysix.moves import ShowCards, StopRound
from turnstile.games.sixtysix.rules import game
from turnstile.games.sixtysix.sight import actions, view
from turnstile.games.sixtysix.state import Options, Phase, State, View
from turnstile.kernel import Move, PlayerId, Seed
from turnstile.lab.match import Chooser, play_out
from turnstile.studies.sixtysix import violation


def chosen(match: State, seed: int = 0) -> Move:
    player = match.players[match.turn]
    return attentive(view(match, player), actions(match, player), Random(seed))


def test_it_takes_a_low_discarded_card_for_its_highest_known_one() -> None:
    assert chosen(turn(alice="12 4 9 1", pile="0")) == event("alice pick 0")


def test_it_draws_when_the_discarded_card_is_high() -> None:
    assert chosen(turn(alice="12 4 9 1", pile="13")) == event("alice take")


def test_it_shows_identical_cards_when_it_knows_them() -> None:
    assert chosen(turn(alice="9 9 6 1", pile="13")) == event("alice show 0 1")


@pytest.mark.parametrize("seed", range(5))
def test_it_never_shows_cards_it_does_not_know(seed: int) -> None:
    assert not isinstance(chosen(turn(alice="9 3 9 9", carol="11 2 6 7", pile="13"), seed), ShowCards)


@pytest.mark.parametrize(("pile", "text"), [("1", "alice open"), ("12", "alice blind")])
def test_it_replaces_shown_cards_by_what_should_be_lower(pile: str, text: str) -> None:
    match = act(turn(alice="9 9 6 3", bob="5 8 3 10", pile=pile), "alice show 0 1")
    assert chosen(match) == event(text)


def test_it_keeps_a_low_card_for_its_highest_and_discards_a_high_one() -> None:
    assert chosen(play(turn(alice="12 4 9 1", draws="2"), "alice take")) == event("alice keep 0")
    assert chosen(play(turn(alice="2 4 9 1", draws="13"), "alice take")) == event("alice discard")


@pytest.mark.parametrize("seed", range(5))
def test_it_looks_at_a_card_of_its_own_that_it_does_not_know(seed: int) -> None:
    match = act(turn(draws="7"), "alice take", "alice discard")
    assert chosen(match, seed) in (event("alice peek 2"), event("alice peek 3"))


@pytest.mark.parametrize("seed", range(5))
def test_it_looks_at_a_card_of_another_that_it_does_not_know_and_its_owner_keeps(seed: int) -> None:
    match = turn(alice="12:0 4:0 9 1", bob="5:01 8:1 3 10", carol="11 2 6 6", draws="9")
    places = ("1.1", "2.0", "2.1")
    assert chosen(act(match, "alice take", "alice discard"), seed) in [event(f"alice peek {place}") for place in places]


def test_it_exchanges_its_highest_known_card_for_the_lowest_it_knows_of() -> None:
    match = turn(alice="12:0 4:0 9 1", bob="5:1 8:1 3:0 10", draws="11")
    assert chosen(act(match, "alice take", "alice discard")) == event("alice exchange 0 1.2")


def test_it_stops_with_a_low_hand_and_not_with_a_high_one() -> None:
    assert chosen(turn(alice="0:0 1:0 1:0 2:0")) == StopRound(ALICE)
    assert not isinstance(chosen(turn(alice="9:0 8:0 7:0 8:0", bob="5 3 3 10", pile="1")), StopRound)


def test_it_counts_what_it_has_not_seen() -> None:
    match = play(turn(alice="12 4 9 1", pile="7", draws="3"), "alice take")
    left = unseen(view(match, ALICE))
    assert sum(left) == len(DECK) - 4
    assert (left[12], left[4], left[7], left[3], left[9]) == (3, 3, 3, 3, 4)
    assert unseen(view(match, BOB))[3] == 4


def chooser(bot: Bot[View], rng: Random) -> Chooser:
    return lambda seen, offered: bot(seen, offered, rng)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_wins_far_more_than_its_share_against_chance(players: int) -> None:
    seats = (ALICE, *(PlayerId(f"chance {number}") for number in range(1, players)))
    wins = 0
    for number in range(40):
        choosers = {seat: chooser(attentive if seat == ALICE else random_bot, Random(number)) for seat in seats}
        ended = game.outcome(play_out(game, Options(), Seed(str(number)), choosers)[0])
        assert ended is not None
        wins += ALICE in ended.winners
    assert wins >= 30


# the guide for `search`


@pytest.mark.parametrize("moves", ["", "alice take", "alice show 2 3"])
def test_a_varied_state_looks_the_same_and_in_time_every_hidden_card_differs(moves: str) -> None:
    match = turn(alice="6 3 9 9", bob="5 8:01 3 10", carol="11 2 6 7", draws="4")
    varied = match = act(match, moves) if moves else match
    held = [set[int]() for _ in range(12)]
    rng = Random(7)
    for _ in range(1000):
        varied = vary(varied, ALICE, rng)
        assert view(varied, ALICE) == view(match, ALICE)
        assert violation(varied) is None
        for values, card in zip(held, (card for row in varied.hands for card in row), strict=True):
            values.add(card.value)
    cards = [card for row in match.hands for card in row]
    shown = [place.card_index for place in match.touched]  # as identical, in the first hand
    hidden = [Seat(0) not in card.seen_by and place not in shown for place, card in enumerate(cards)]
    assert [len(values) > 10 for values in held] == hidden


def test_without_hidden_cards_in_hands_only_the_order_of_the_deck_varies() -> None:
    match = turn(alice="9:0 9:0 6:0 3:0", bob="5:01 8:01 3:01 10:01", carol="11:02 2:02 6:02 7:02")
    varied = vary(match, ALICE, Random(7))
    assert varied.deck != match.deck
    assert replace(varied, deck=match.deck) == match
    assert sorted(varied.deck) == sorted(match.deck)


@pytest.mark.parametrize("players", game.seats)
def test_without_a_lead_all_players_have_the_same_chance_after_a_round(players: int) -> None:
    match = game.new([PlayerId(f"p{number}") for number in range(players)], Options(), Seed("7"))
    assert isinstance(match, State)
    chances = prospects(replace(match, phase=Phase.ROUND_FINISHED), 0)
    assert chances is not None
    assert list(chances.values()) == [pytest.approx(1 / players)] * players


def test_a_low_hand_that_its_owner_knows_and_the_turn_are_good_prospects() -> None:
    def chance(alice: str, of: PlayerId = BOB) -> float:
        return (prospects(turn(of, alice=alice), 100) or {})[ALICE]

    plain = chance("9:0 8:0 7 8")
    assert chance("9:0 8:0 7 2") > plain
    assert chance("9:0 8:0 7:0 8") > plain
    assert chance("9:0 8:0 7 8", of=ALICE) > plain
    assert prospects(turn(), 1) is None
