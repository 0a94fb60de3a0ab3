"""The rules of E-Card, sentence by sentence, in the order of the rules text."""

from itertools import product

import pytest

from tests.rules.ecard.matches import (
    ALICE,
    BOB,
    PLAYERS,
    after_rounds,
    decide,
    emperor_of,
    event,
    lobby,
    picking,
    play,
    points,
    refusal,
    shown,
    started,
    step,
)
from turnstile.games.ecard import Card, Code, Options, Phase, Roles, State, ecard, hand, new, notation, outcome, view
from turnstile.games.ecard.cards import BEATS, EMPEROR_HAND, SLAVE_HAND
from turnstile.games.ecard.messages import OpponentPicked
from turnstile.games.ecard.rules import first_emperor, winning_player
from turnstile.kernel import ByPlayer, PlayerId, Refusal, Rejection, Seed, encode

EVERY_SCORE_BEFORE_THE_LAST_ROUND = [("A" * won + "B" * (11 - won)) for won in range(12)]


# Players


def test_a_match_has_exactly_two_players() -> None:
    for wrong in ((), ("alice",), ("alice", "bob", "carol")):
        answer = new(tuple(PlayerId(name) for name in wrong), Options(), None)
        assert isinstance(answer, Rejection)
        assert answer.code == Refusal.INVALID_PLAYERS


@pytest.mark.parametrize("second", ["", "alice", "x" * 65])
def test_the_players_have_different_non_empty_ids(second: str) -> None:
    answer = new((ALICE, PlayerId(second)), Options(), None)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_PLAYERS


# Cards


def test_there_are_three_cards_emperor_citizen_and_slave() -> None:
    assert [(card.name, card.value) for card in Card] == [("EMPEROR", "E"), ("CITIZEN", "C"), ("SLAVE", "S")]


@pytest.mark.parametrize("text", ["", "E", "C", "S", "ECCCC", "SCCCC", "CCEC", "CS"])
def test_a_hand_reads_and_writes_itself_in_short_notation(text: str) -> None:
    assert notation(hand(text)) == text
    assert hand(notation(hand(text))) == hand(text)


def test_what_is_no_card_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="'K' is not a valid Card"):
        hand("ECK")


# Roles per round


@pytest.mark.parametrize("emperor", PLAYERS)
def test_one_player_is_the_emperor_and_the_other_is_the_slave(emperor: PlayerId) -> None:
    slave = BOB if emperor == ALICE else ALICE
    assert started(emperor).roles == Roles(emperor_player=emperor, slave_player=slave)


def test_the_emperors_hand_is_one_emperor_and_four_citizens() -> None:
    assert notation(EMPEROR_HAND) == "ECCCC"
    assert shown(started(ALICE).hands)[0] == "ECCCC"
    assert shown(started(BOB).hands)[1] == "ECCCC"


def test_the_slaves_hand_is_one_slave_and_four_citizens() -> None:
    assert notation(SLAVE_HAND) == "SCCCC"
    assert shown(started(ALICE).hands)[1] == "SCCCC"
    assert shown(started(BOB).hands)[0] == "SCCCC"


@pytest.mark.parametrize("rounds", range(12))
def test_a_new_decisive_round_starts_with_a_fresh_full_hand_for_the_current_roles(rounds: int) -> None:
    match = after_rounds("A" * rounds)
    emperors, slaves = ("ECCCC", "SCCCC")
    assert shown(match.hands) == ((emperors, slaves) if emperor_of(match) == ALICE else (slaves, emperors))


# One decisive round


def test_both_players_pick_one_card_in_secret() -> None:
    taken = step(picking(), "alice E")
    assert taken.told(BOB) == [OpponentPicked()]
    assert view(taken.state, BOB) == view(play(picking(), "alice C"), BOB)
    assert taken.state.revealed == ()


@pytest.mark.parametrize("order", [("alice C", "bob S"), ("bob S", "alice C")])
def test_then_both_reveal_at_the_same_time_whoever_picked_first(order: tuple[str, str]) -> None:
    match = play(picking(), *order)
    assert [pair.cards for pair in match.revealed] == [ByPlayer({ALICE: Card.CITIZEN, BOB: Card.SLAVE})]


def test_emperor_beats_citizen() -> None:
    assert points(play(picking(), "alice E", "bob C")) == (1, 0)
    assert points(play(picking(alice="SCCCC", bob="ECCCC"), "alice C", "bob E")) == (0, 1)


def test_citizen_beats_slave() -> None:
    assert points(play(picking(), "alice C", "bob S")) == (1, 0)
    assert points(play(picking(alice="SCCCC", bob="ECCCC"), "alice S", "bob C")) == (0, 1)


def test_slave_beats_emperor() -> None:
    assert points(play(picking(), "alice E", "bob S")) == (0, 1)
    assert points(play(picking(alice="SCCCC", bob="ECCCC"), "alice S", "bob E")) == (1, 0)


def test_citizen_against_citizen_is_a_draw_and_both_cards_are_gone() -> None:
    match = play(picking(alice="ECCCC", bob="SCCCC"), "alice C", "bob C")
    assert match.phase is Phase.PICKING
    assert points(match) == (0, 0)
    assert shown(match.hands) == ("ECCC", "SCCC")
    assert match.revealed[0].winner is None


def test_each_card_beats_one_other() -> None:
    assert BEATS == {Card.EMPEROR: Card.CITIZEN, Card.CITIZEN: Card.SLAVE, Card.SLAVE: Card.EMPEROR}


@pytest.mark.parametrize(("emperors", "slaves"), [*product(Card, Card)])
def test_all_nine_pairs_of_cards_have_the_winner_that_the_rules_say(emperors: Card, slaves: Card) -> None:
    winner = winning_player(Roles(emperor_player=ALICE, slave_player=BOB), ByPlayer({ALICE: emperors, BOB: slaves}))
    wins = {"EC": ALICE, "CS": ALICE, "SE": ALICE, "CE": BOB, "SC": BOB, "ES": BOB}
    assert winner == wins.get(emperors + slaves)


def test_a_decisive_round_ends_only_when_there_is_a_winner() -> None:
    match = picking()
    for draws in range(4):
        match = play(match, "alice C", "bob C")
        assert (match.phase, match.decisive_round_index) == (Phase.PICKING, 0), f"after {draws + 1} draws"
    assert play(match, "alice E", "bob S").decisive_round_index == 1


def test_after_a_draw_both_used_cards_are_removed() -> None:
    match = picking()
    for left in ("CCC", "CC", "C", ""):
        match = play(match, "alice C", "bob C")
        assert shown(match.hands) == ("E" + left, "S" + left)


def test_after_a_draw_roles_stay_the_same() -> None:
    assert play(picking(), "alice C", "bob C").roles == picking().roles


def test_after_a_draw_players_pick_again() -> None:
    match = play(picking(), "alice C", "bob C")
    assert match.pending_picks == ByPlayer({ALICE: None, BOB: None})
    assert play(match, "bob C", "alice C").phase is Phase.PICKING


def test_a_decisive_round_always_ends_by_the_fifth_reveal() -> None:
    match = picking(alice="E", bob="S")
    assert refusal(match, "alice C") == refusal(match, "bob C") == Code.CARD_NOT_IN_HAND
    match = play(match, "alice E", "bob S")
    assert len(match.revealed) == 5
    assert match.phase is Phase.ROUND_SETUP
    assert points(match) == (0, 1)


@pytest.mark.parametrize(("alice", "bob", "winner"), [("E", "C", ALICE), ("C", "S", ALICE), ("E", "S", BOB)])
def test_the_winner_is_the_player_who_played_the_winning_card(alice: str, bob: str, winner: PlayerId) -> None:
    match = play(picking(), f"alice {alice}", f"bob {bob}")
    assert match.revealed[0].winner == winner
    assert match.score == ByPlayer.same(PLAYERS, 0).put(winner, 1)


def test_emperor_against_emperor_and_slave_against_slave_cannot_happen() -> None:
    """The emperor holds no slave and the slave holds no emperor, so only four of the nine pairs can be laid."""
    can_be_laid = [
        alice + bob
        for alice, bob in product("ECS", "ECS")
        if isinstance(laid := ecard.apply(picking(), event(f"alice {alice}")), State)
        and isinstance(ecard.apply(laid, event(f"bob {bob}")), State)
    ]
    assert can_be_laid == ["EC", "ES", "CC", "CS"]


# Match flow


@pytest.mark.parametrize("winners", EVERY_SCORE_BEFORE_THE_LAST_ROUND)
def test_the_match_has_twelve_decisive_rounds(winners: str) -> None:
    match = after_rounds(winners)
    assert (match.phase, match.decisive_round_index) == (Phase.ROUND_SETUP, 11)
    if points(match) not in ((5, 6), (6, 5)):
        assert decide(match, ALICE).phase is decide(match, BOB).phase is Phase.FINISHED


@pytest.mark.parametrize("first", PLAYERS)
def test_it_is_split_into_four_sides_of_three_decisive_rounds_each(first: PlayerId) -> None:
    second = BOB if first == ALICE else ALICE
    emperors = [emperor_of(after_rounds("A" * rounds, first)) for rounds in range(12)]
    assert emperors == [first] * 3 + [second] * 3 + [first] * 3 + [second] * 3


@pytest.mark.parametrize("rounds", range(1, 12))
@pytest.mark.parametrize("last", ["A", "B"])
def test_after_decisive_rounds_3_6_and_9_roles_switch_for_the_next_side(rounds: int, last: str) -> None:
    before, after = after_rounds("A" * (rounds - 1)), after_rounds("A" * (rounds - 1) + last)
    assert (emperor_of(before) != emperor_of(after)) == (rounds in (3, 6, 9))


def test_draws_do_not_count_towards_a_side() -> None:
    match = play(after_rounds("AA"), "begin", "alice C", "bob C", "alice C", "bob C")
    assert (match.decisive_round_index, match.decisive_in_side, emperor_of(match)) == (2, 2, ALICE)


def test_after_decisive_round_12_the_match_normally_ends() -> None:
    assert after_rounds("AAABBBAAABBA").phase is Phase.FINISHED


# Starting side


@pytest.mark.parametrize("number", range(20))
def test_the_initial_emperor_player_is_chosen_deterministically_from_the_seed(number: int) -> None:
    emperors = {emperor_of(play(lobby(), f"start {number}")) for _ in range(3)}
    assert emperors == {first_emperor(PLAYERS, Seed(str(number)))}


def test_either_player_can_be_the_initial_emperor() -> None:
    chosen = [first_emperor(PLAYERS, Seed(str(number))) for number in range(1000)]
    assert 450 <= chosen.count(ALICE) <= 550  # half of them; 3.2 standard deviations either way


def test_this_keeps_the_match_reproducible() -> None:
    one, other = after_rounds("ABBABA"), after_rounds("ABBABA")
    assert encode(one) == encode(other)


# Win condition


def test_each_decisive_round_gives_one_point_to_the_winner() -> None:
    assert [points(after_rounds("ABBA"[:rounds])) for rounds in range(5)] == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize("won", [won for won in range(13) if won != 6])
def test_after_12_decisive_rounds_the_player_with_more_points_wins(won: int) -> None:
    match = after_rounds("A" * won + "B" * (12 - won))
    ended = outcome(match)
    assert ended is not None
    assert ended.winners == ((ALICE,) if won > 6 else (BOB,))
    assert ended.scores == ByPlayer({ALICE: won, BOB: 12 - won})


@pytest.mark.parametrize("winners", ["ABABABABABAB", "AAAAAABBBBBB", "BBBBBBAAAAAA"])
def test_if_the_score_is_tied_6_to_6_one_extra_decisive_round_is_played(winners: str) -> None:
    match = after_rounds(winners)
    assert (match.phase, match.is_tie_break, match.decisive_round_index) == (Phase.ROUND_SETUP, True, 12)
    assert outcome(match) is None


# Tie break


def tie_break() -> State:
    return after_rounds("ABABABABABAB")


@pytest.mark.parametrize("winner", PLAYERS)
def test_exactly_one_extra_decisive_round_is_played(winner: PlayerId) -> None:
    match = decide(tie_break(), winner)
    assert (match.phase, match.decisive_round_index) == (Phase.FINISHED, 13)


def test_the_tie_break_is_played_with_fresh_full_hands() -> None:
    assert shown(tie_break().hands) == ("SCCCC", "ECCCC")


def test_a_draw_in_the_tie_break_goes_on_like_any_other() -> None:
    match = play(tie_break(), "begin", "alice C", "bob C")
    assert (match.phase, match.is_tie_break, match.decisive_round_index) == (Phase.PICKING, True, 12)
    assert shown(match.hands) == ("SCCC", "ECCC")


def test_roles_do_not_switch_before_or_after_the_tie_break() -> None:
    last_round, extra_round = after_rounds("ABABABABABA"), tie_break()
    assert last_round.roles == extra_round.roles == decide(extra_round, ALICE).roles == decide(extra_round, BOB).roles


@pytest.mark.parametrize("winner", PLAYERS)
def test_the_winner_of_the_tie_break_wins_the_match(winner: PlayerId) -> None:
    ended = outcome(decide(tie_break(), winner))
    assert ended is not None
    assert ended.winners == (winner,)
    assert ended.scores == ByPlayer.same(PLAYERS, 6).put(winner, 7)


# Engine constraints


@pytest.mark.parametrize("match", [lobby(), started(), after_rounds("A" * 12)], ids=lambda match: match.phase)
def test_you_cannot_pick_outside_of_the_picking_phase(match: State) -> None:
    assert refusal(match, "alice C") == refusal(match, "bob C") == Refusal.WRONG_PHASE


@pytest.mark.parametrize("again", ["E", "C"])
def test_you_cannot_pick_twice_before_a_reveal(again: str) -> None:
    assert refusal(play(picking(), "alice C"), f"alice {again}") == Code.ALREADY_PICKED


def test_you_cannot_pick_a_card_you_do_not_have_in_the_current_round_hand() -> None:
    assert refusal(picking(), "alice S") == refusal(picking(), "bob E") == Code.CARD_NOT_IN_HAND
    assert refusal(picking(alice="E", bob="S"), "alice C") == Code.CARD_NOT_IN_HAND


@pytest.mark.parametrize("hidden", ["E", "C"])
def test_the_opponent_pick_is_never_visible_before_reveal(hidden: str) -> None:
    match = play(picking(), f"alice {hidden}")
    for eyes in (BOB, None):
        seen = view(match, eyes)
        assert seen.pending_pick is None
        assert seen.has_picked == ByPlayer({ALICE: True, BOB: False})
        assert seen == view(play(picking(), "alice E"), eyes)
