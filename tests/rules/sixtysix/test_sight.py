"""What the players of 66 see, remember and may do."""

from collections.abc import Sequence
from itertools import combinations, product
from random import Random

import msgspec
import pytest
from hypothesis import given, settings

from tests.rules.sixtysix.matches import (
    ALICE,
    ALICE_SEAT,
    BOB,
    CAROL,
    PLAYERS,
    RESTING,
    act,
    in_phase,
    lobby,
    play,
    shown,
    turn,
)
from turnstile.games.sixtysix.moves import (
    Discard,
    ExchangeCards,
    PeekAnothersCard,
    PeekOwnCard,
    ReplaceCardByDiscarded,
    ReplaceCardFromDeck,
    ReplaceCardsByDiscarded,
    ReplaceCardsFromDeck,
    ShowCards,
    StartGame,
    StartNextRound,
    StopRound,
    TakeCardFromDeck,
)
from turnstile.games.sixtysix.rules import ACKS_DUE, game, sixtysix
from turnstile.games.sixtysix.sight import actions, view
from turnstile.games.sixtysix.state import Phase, Place, State
from turnstile.kernel import Move, PlayerId, Rejection, Seed, encode
from turnstile.testing.strategies import RandomMatch, matches

DAVE = PlayerId("dave")


def seen(match: State, eyes: PlayerId | None, owner: PlayerId) -> list[int | None]:
    """The hand of `owner` as `eyes` know it."""
    return [sight.value for sight in view(match, eyes).seen[PLAYERS.index(owner)]]


# View


def test_a_view_holds_exactly_what_a_player_may_know() -> None:
    match = turn(alice="12 4 9 1", bob="8 0", carol="13 6 3", pile="2 7", draws="5", totals=(1, 0, 5))
    match = play(match, "alice take")
    rows: list[list[tuple[int | None, list[int]]]] = [
        [(12, [0]), (4, [0]), (None, []), (None, [])],
        [(None, [1]), (None, [1])],
        [(None, [2]), (None, [2]), (None, [])],
    ]
    expected = {
        "phase": "DECK_CARD_TAKEN",
        "players": ["alice", "bob", "carol"],
        "playerIndex": 0,
        "commitment": match.commitment,
        "turn": 0,
        "starter": 0,
        "stopper": None,
        "turnCount": 0,
        "deckSize": len(match.deck),
        "discarded": [2, 7],
        "discardedValue": 7,
        "handSizes": [4, 2, 3],
        "seen": [[{"value": value, "seenBy": by} for value, by in row] for row in rows],
        "taken": 5,
        "touched": [],
        "isIdentical": None,
        "totals": [1, 0, 5],
        "rounds": [
            {"turnCount": 3, "stopper": None, "scores": [0, 0, 2]},
            {"turnCount": 3, "stopper": None, "scores": [1, 0, 3]},
        ],
    }
    assert msgspec.json.decode(encode(view(match, ALICE))) == expected


def test_the_taken_card_is_shown_to_who_took_it_and_nobody_else() -> None:
    match = play(turn(draws="5"), "alice take")
    assert [view(match, eyes).taken for eyes in (*PLAYERS, DAVE, None)] == [5, None, None, None, None]


def test_a_spectator_and_somebody_without_a_seat_have_seen_no_card() -> None:
    match = play(turn(alice="5 9 5 5", bob="4 8 3 10", pile="2"), "alice show 0 2")
    assert view(match, None) == view(match, DAVE)
    assert view(match, None).player_index is None
    assert all(seen(match, None, owner) == [None] * 4 for owner in PLAYERS)
    assert view(match, None).discarded == (2,)


def test_before_the_match_there_is_nothing_to_see_but_the_commitment() -> None:
    sight = view(lobby(), ALICE)
    assert (sight.seen, sight.deck_size, sight.discarded_value) == (((), (), ()), 0, None)
    assert sight.commitment == lobby().commitment


def test_neighbouring_views_share_the_rounds_that_are_finished() -> None:
    match = RandomMatch(game, PLAYERS, Seed("7"), 10_000, Random(7), {})
    views = [view(state, ALICE) for state in match.states]
    assert len(views[-1].rounds) > 1
    for state, before, after in zip(match.states, views, views[1:], strict=False):
        assert all(old is new for old, new in zip(before.rounds, after.rounds, strict=False))
        assert before.rounds is state.rounds
        assert before.discarded is state.discarded


@pytest.mark.parametrize("phase", RESTING)
def test_the_seed_and_the_deck_are_in_no_view(phase: Phase) -> None:
    match = msgspec.structs.replace(in_phase(phase), seed=Seed("qqqqqqqq"))
    for eyes in (*PLAYERS, DAVE, None):
        assert "qqqqqqqq" not in encode(view(match, eyes)).decode()
        shuffled = msgspec.structs.replace(match, deck=match.deck[::-1])
        assert view(shuffled, eyes) == view(match, eyes)


def test_when_a_round_is_finished_all_hands_are_public() -> None:
    for match in (in_phase(Phase.ROUND_FINISHED), in_phase(Phase.GAME_FINISHED)):
        for eyes, owner in product((*PLAYERS, None), PLAYERS):
            assert None not in seen(match, eyes, owner)


def test_what_was_public_between_rounds_is_not_known_of_the_new_cards() -> None:
    match = play(in_phase(Phase.ROUND_FINISHED), "carol next")
    assert [seen(match, ALICE, owner).count(None) for owner in PLAYERS] == [2, 4, 4]


# Memory: what a player has seen and where it lies now


def test_a_player_knows_its_first_two_cards() -> None:
    assert seen(turn(), ALICE, ALICE) == [12, 4, None, None]
    assert seen(turn(), ALICE, BOB) == [None] * 4


def test_a_card_from_the_deck_is_known_to_its_owner_alone() -> None:
    match = act(turn(draws="3"), "alice take", "alice keep 3")
    assert (seen(match, ALICE, ALICE), seen(match, BOB, ALICE)) == ([12, 4, None, 3], [None] * 4)


def test_a_card_from_the_discard_pile_is_known_to_everybody() -> None:
    match = act(turn(pile="7"), "alice pick 2")
    assert (seen(match, ALICE, ALICE), seen(match, BOB, ALICE)) == ([12, 4, 7, None], [None, None, 7, None])


def test_a_card_that_was_peeked_at_is_known_to_who_peeked() -> None:
    own = act(turn(draws="8"), "alice take", "alice discard", "alice peek 2")
    assert (seen(own, ALICE, ALICE), seen(own, BOB, ALICE)) == ([12, 4, 9, None], [None] * 4)
    anothers = act(turn(draws="10"), "alice take", "alice discard", "alice peek 1.3")
    assert (seen(anothers, ALICE, BOB), seen(anothers, BOB, BOB)) == ([None, None, None, 10], [5, 8, None, None])


def test_cards_of_a_failed_claim_are_known_to_the_others_and_not_to_who_made_it() -> None:
    match = act(turn(), "alice show 1 2 3")
    assert seen(match, BOB, ALICE) == seen(match, CAROL, ALICE) == [None, 4, 9, 1]
    assert seen(match, ALICE, ALICE) == [12, 4, None, None]


def test_cards_of_a_successful_claim_are_known_to_who_made_it_if_it_knew_one_of_them() -> None:
    match = act(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 0 2")
    assert seen(match, ALICE, ALICE) == [5, 9, 5, None]
    assert seen(match, BOB, ALICE) == [5, None, 5, None]
    blind = act(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 2 3")
    assert seen(blind, ALICE, ALICE) == [5, 9, None, None]
    assert seen(blind, BOB, ALICE) == [None, None, 5, 5]


def test_a_claim_tells_everybody_how_it_turned_out_until_its_turn_is_over() -> None:
    match = turn(alice="5 9 5 5", bob="4 8 3 10")
    for indexes, outcome in (("2 3", True), ("1 2", False)):
        claimed = play(match, f"alice show {indexes}")
        assert {view(claimed, eyes).is_identical for eyes in (*PLAYERS, None)} == {outcome}
    waiting = play(match, "alice show 2 3", "acks")
    assert (waiting.phase, view(waiting, ALICE).is_identical) == (Phase.REPLACING_CARDS, True)
    assert view(act(waiting, "alice open"), ALICE).is_identical is None


def test_a_card_that_replaces_shown_ones_from_the_deck_is_known_to_nobody() -> None:
    match = act(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 0 2", "alice blind")
    assert shown(match, ALICE).split()[0] == "13"
    assert seen(match, ALICE, ALICE) == [None, 9, None]


def test_when_a_row_closes_up_what_is_known_moves_with_the_cards() -> None:
    match = turn(alice="5:0 5:0 9:01 1:2", bob="4 8 3 10")
    match = act(match, "alice show 0 1", "alice open")
    assert shown(match, ALICE) == "7:012 9:01 1:2"
    assert (seen(match, BOB, ALICE), seen(match, CAROL, ALICE)) == ([7, 9, None], [7, None, 1])


def test_after_an_exchange_everybody_knows_where_the_cards_it_knew_went() -> None:
    match = turn(alice="12:02 4:0 9 1", bob="5:1 8:1 3:012 10", draws="11")
    match = act(match, "alice take", "alice discard", "alice exchange 0 1.2")
    assert (shown(match, ALICE), shown(match, BOB)) == ("3:012 4:0 9 1", "5:1 8:1 12:02 10")
    assert seen(match, BOB, BOB) == [5, 8, None, None], "its new card it has not seen"
    assert seen(match, CAROL, BOB) == [None, None, 12, None]


def test_what_is_discarded_is_forgotten_as_a_card_of_the_hand() -> None:
    match = act(turn(alice="12:02 4:0 9 1", draws="3"), "alice take", "alice keep 0")
    assert seen(match, CAROL, ALICE)[0] is None
    assert view(match, CAROL).discarded_value == 12


def test_everybody_sees_which_cards_the_last_action_was_about() -> None:
    peek = play(turn(draws="7"), "alice take", "alice discard", "acks", "alice peek 2")
    assert view(peek, BOB).touched == (Place(ALICE_SEAT, 2),)
    assert view(play(peek, "acks"), BOB).touched == ()


# Actions


@pytest.mark.parametrize(
    ("phase", "offered"),
    [
        (Phase.NOT_STARTED, [StartGame(ALICE)]),
        (Phase.DECK_CARD_TAKEN, [*[ReplaceCardFromDeck(ALICE, index) for index in range(4)], Discard(ALICE)]),
        (Phase.DISCARDED, [PeekOwnCard(ALICE, index) for index in range(4)]),
        (Phase.REPLACING_CARDS, [ReplaceCardsFromDeck(ALICE), ReplaceCardsByDiscarded(ALICE)]),
        (Phase.GAME_FINISHED, []),
        *[(phase, []) for phase in RESTING if phase in ACKS_DUE],
    ],
)
def test_what_the_active_player_may_do(phase: Phase, offered: Sequence[Move]) -> None:
    assert actions(in_phase(phase), ALICE) == tuple(offered)
    assert all(actions(in_phase(phase), other) == () for other in (BOB, CAROL, DAVE))


def test_in_a_turn_a_player_may_take_replace_stop_or_show_any_two_or_more() -> None:
    claims = [claim for size in (2, 3, 4) for claim in combinations(range(4), size)]
    assert len(claims) == 11
    assert actions(turn(), ALICE) == (
        TakeCardFromDeck(ALICE),
        *[ReplaceCardByDiscarded(ALICE, index) for index in range(4)],
        StopRound(ALICE),
        *[ShowCards(ALICE, claim) for claim in claims],
    )


def test_a_hand_of_one_card_makes_no_claim_and_a_stopped_round_is_not_stopped_again() -> None:
    match = act(turn(alice="12"), "alice pick 0", "bob stop", "carol pick 0")
    assert actions(match, ALICE) == (TakeCardFromDeck(ALICE), ReplaceCardByDiscarded(ALICE, 0))


def test_every_card_of_every_other_player_may_be_peeked_at_or_exchanged() -> None:
    hands = {"alice": "12 4", "bob": "8 0", "carol": "13 6 3"}
    others = [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    peek = act(turn(**hands, draws="9"), "alice take", "alice discard")  # type: ignore[arg-type]
    assert actions(peek, ALICE) == tuple(PeekAnothersCard(ALICE, *place) for place in others)
    exchange = act(turn(**hands, draws="12"), "alice take", "alice discard")  # type: ignore[arg-type]
    assert actions(exchange, ALICE) == tuple(
        ExchangeCards(ALICE, mine, *theirs) for mine in (0, 1) for theirs in others
    )


def test_between_rounds_the_next_player_may_start_the_next_one() -> None:
    match = in_phase(Phase.ROUND_FINISHED)
    assert [actions(match, player) for player in PLAYERS] == [(), (), (StartNextRound(CAROL),)]


def every_move(player: PlayerId, players: int) -> list[Move]:
    """Every move there is with indexes near the hands, claims in any order and with repetitions included."""
    near, seats = range(-1, 5), range(-1, players + 1)
    plain = [
        StartGame,
        TakeCardFromDeck,
        StopRound,
        Discard,
        ReplaceCardsFromDeck,
        ReplaceCardsByDiscarded,
        StartNextRound,
    ]
    single = [ReplaceCardByDiscarded, ReplaceCardFromDeck, PeekOwnCard]
    claims = [claim for size in range(4) for claim in product(near, repeat=size)]
    return [
        *[kind(player) for kind in plain],
        *[kind(player, index) for kind in single for index in near],
        *[ShowCards(player, claim) for claim in [*claims, (0, 1, 2, 3), (0, 1, 2, 3, 3)]],
        *[PeekAnothersCard(player, seat, index) for seat in seats for index in near],
        *[ExchangeCards(player, mine, seat, index) for mine in near for seat in seats for index in near],
    ]


@settings(max_examples=100, deadline=None)
@given(matches(game, longest=60))
def test_exactly_what_is_offered_is_accepted(match: RandomMatch) -> None:
    state = match.state
    for player in {match.players[state.turn], match.players[0]}:
        moves = every_move(player, len(match.players))
        accepted = [move for move in moves if not isinstance(sixtysix.apply(state, move), Rejection)]
        assert set(accepted) == set(actions(state, player))
