"""What the players of E-Card are told, shown and offered, and what the table does by itself."""

from hashlib import sha256

import msgspec
import pytest

from tests.rules.ecard.matches import (
    ALICE,
    BOB,
    PLAYERS,
    after_rounds,
    decide,
    in_phase,
    lobby,
    picking,
    play,
    seed_for,
    started,
    step,
    winning_picks,
)
from turnstile.games.ecard import (
    BeginPicking,
    Card,
    Pair,
    Phase,
    Pick,
    Roles,
    Start,
    State,
    actions,
    dealer,
    game,
    hand,
    outcome,
    view,
)
from turnstile.games.ecard.messages import (
    MatchFinished,
    MatchStarted,
    OpponentPicked,
    PairRevealed,
    RoundSetUp,
    SideSwitched,
    TieBreak,
)
from turnstile.kernel import ByPlayer, Commitment, Message, PlayerId, Seed, Step, Tell, encode

CAROL = PlayerId("carol")
ALICE_RULES, BOB_RULES = Roles(ALICE, BOB), Roles(BOB, ALICE)
TIE_BREAK = "ABABABABABAB"


def score(alice: int, bob: int) -> ByPlayer[int]:
    return ByPlayer({ALICE: alice, BOB: bob})


def pair(number: int, emperor: PlayerId, cards: str, winner: PlayerId | None) -> Pair:
    """Two revealed cards, Alice's first."""
    return Pair(number, emperor, ByPlayer(zip(PLAYERS, hand(cards), strict=True)), winner)


def told_both(taken: Step[State]) -> tuple[list[Message], list[Message]]:
    """What Alice and what Bob are told."""
    return taken.told(ALICE), taken.told(BOB)


# Messages


def test_start_tells_both_the_roles_and_a_commitment_to_the_seed_then_each_its_own_hand() -> None:
    seed = seed_for(ALICE)
    opening = MatchStarted(ALICE_RULES, Commitment(sha256(seed.encode()).hexdigest()))
    assert told_both(step(lobby(), f"start {seed}")) == (
        [opening, RoundSetUp(1, ALICE_RULES, hand("ECCCC"))],
        [opening, RoundSetUp(1, ALICE_RULES, hand("SCCCC"))],
    )


def test_begin_picking_tells_nobody_anything() -> None:
    assert step(started(), "begin").effects == ()


@pytest.mark.parametrize("card", ["E", "C"])
def test_a_pick_tells_the_opponent_alone_that_it_was_made_not_what(card: str) -> None:
    taken = step(picking(), f"alice {card}")
    assert told_both(taken) == ([], [OpponentPicked()])
    assert msgspec.json.decode(encode(OpponentPicked())) == {"type": "OpponentPicked"}


def test_the_second_pick_tells_the_opponent_of_it_and_then_both_what_was_revealed() -> None:
    drawn = PairRevealed(pair(1, ALICE, "CC", None), score(0, 0))
    taken = step(play(picking(), "alice C"), "bob C")
    assert told_both(taken) == ([OpponentPicked(), drawn], [drawn])


def test_a_decisive_reveal_shows_the_new_score_and_then_the_hand_for_the_next_round() -> None:
    revealed = PairRevealed(pair(1, ALICE, "ES", BOB), score(0, 1))
    taken = step(play(picking(), "bob S"), "alice E")
    assert told_both(taken) == (
        [revealed, RoundSetUp(2, ALICE_RULES, hand("ECCCC"))],
        [OpponentPicked(), revealed, RoundSetUp(2, ALICE_RULES, hand("SCCCC"))],
    )


@pytest.mark.parametrize(("rounds", "side"), [(3, 2), (6, 3), (9, 4)])
def test_at_the_end_of_a_side_both_are_told_the_new_side_and_roles_before_their_hands(rounds: int, side: int) -> None:
    match = after_rounds("A" * (rounds - 1))
    first, second = ("alice C", "bob S") if side % 2 == 0 else ("bob E", "alice S")
    taken = step(play(match, "begin", first), second)
    roles = BOB_RULES if side % 2 == 0 else ALICE_RULES
    hands = ("SCCCC", "ECCCC") if side % 2 == 0 else ("ECCCC", "SCCCC")
    for player, held in zip(PLAYERS, hands, strict=True):
        assert taken.told(player)[-2:] == [SideSwitched(side, roles), RoundSetUp(rounds + 1, roles, hand(held))]


@pytest.mark.parametrize("rounds", [1, 2, 4, 5, 7, 8, 10, 11])
def test_inside_a_side_nobody_is_told_of_a_switch(rounds: int) -> None:
    match = play(after_rounds("A" * (rounds - 1)), "begin")
    alice, bob = ("C", "S") if match.roles == ALICE_RULES else ("S", "E")
    kinds = [type(message) for message in step(play(match, f"alice {alice}"), f"bob {bob}").told(BOB)]
    assert kinds == [PairRevealed, RoundSetUp]


def test_at_6_to_6_both_are_told_of_the_tie_break_before_their_hands() -> None:
    taken = step(play(after_rounds(TIE_BREAK[:-1]), "begin", "bob C"), "alice S")
    revealed = PairRevealed(pair(12, BOB, "SC", BOB), score(6, 6))
    assert told_both(taken) == (
        [revealed, TieBreak(score(6, 6)), RoundSetUp(13, BOB_RULES, hand("SCCCC"))],
        [OpponentPicked(), revealed, TieBreak(score(6, 6)), RoundSetUp(13, BOB_RULES, hand("ECCCC"))],
    )


def test_at_the_end_both_are_told_the_winner_the_score_and_the_seed() -> None:
    match = after_rounds("A" * 11)
    assert match.seed is not None
    taken = step(play(match, "begin", "alice S"), "bob E")
    revealed = PairRevealed(pair(12, BOB, "SE", ALICE), score(12, 0))
    finished = MatchFinished(ALICE, score(12, 0), match.seed)
    assert told_both(taken) == ([OpponentPicked(), revealed, finished], [revealed, finished])


def test_the_seed_at_the_end_is_the_one_that_was_committed_to() -> None:
    taken = step(lobby(), "start many-words")
    opening = taken.told(ALICE)[0]
    assert isinstance(opening, MatchStarted)
    match = taken.state
    for _ in range(11):
        match = decide(match, BOB)
    first, second = winning_picks(match, BOB)
    closing = step(play(match, "begin", first), second).told(ALICE)[-1]
    assert isinstance(closing, MatchFinished)
    assert sha256(closing.seed.encode()).hexdigest() == opening.commitment


def test_reset_tells_nobody_anything() -> None:
    assert step(in_phase(Phase.FINISHED), "reset").effects == ()


def test_messages_come_in_batches_of_one_kind_each() -> None:
    taken = step(play(after_rounds("AA"), "begin", "alice C"), "bob S")
    assert all(isinstance(effect, Tell) and len(effect.batches) == 1 for effect in taken.effects)
    batches = [effect.batches[0] for effect in taken.effects if isinstance(effect, Tell)]
    kinds = [{type(message) for message in batch.values()} for batch in batches]
    assert kinds == [{OpponentPicked}, {PairRevealed}, {SideSwitched}, {RoundSetUp}]
    assert [list(batch) for batch in batches] == [[ALICE], [ALICE, BOB], [ALICE, BOB], [ALICE, BOB]]


# View


def test_a_view_holds_exactly_what_a_player_may_know() -> None:
    match = play(after_rounds("AB"), "begin", "alice C", "bob C", "bob S")
    assert msgspec.json.decode(encode(view(match, BOB))) == {
        "phase": "Picking",
        "players": ["alice", "bob"],
        "roles": {"emperorPlayer": "alice", "slavePlayer": "bob"},
        "hand": ["S", "C", "C", "C"],
        "pendingPick": "S",
        "hasPicked": {"alice": False, "bob": True},
        "handSizes": {"alice": 4, "bob": 4},
        "score": {"alice": 1, "bob": 1},
        "decisiveRoundIndex": 2,
        "decisiveInSide": 2,
        "isTieBreak": False,
        "revealed": msgspec.json.decode(encode(match.revealed)),
    }


def test_a_view_shows_whether_the_opponent_has_picked_and_never_what() -> None:
    one, other = play(picking(), "bob S"), play(picking(), "bob C")
    assert view(one, ALICE) == view(other, ALICE)
    assert view(one, ALICE).has_picked[BOB]
    assert view(one, BOB) != view(other, BOB)


@pytest.mark.parametrize("rounds", range(13))
def test_no_view_has_the_seed_at_any_time(rounds: int) -> None:
    seed = "qqqqqqqq"
    match = play(lobby(), f"start {seed}")
    for _ in range(rounds):
        match = decide(match, ALICE)
    for seen in (match, lobby(Seed(seed))):
        assert all(seed not in encode(view(seen, eyes)).decode() for eyes in (ALICE, BOB, CAROL, None))


def test_a_spectator_has_no_hand_and_no_pick_and_sees_what_both_players_see() -> None:
    match = play(picking(), "alice E")
    seen = view(match, None)
    assert (seen.hand, seen.pending_pick) == ((), None)
    mine = view(match, ALICE)
    assert (mine.hand, mine.pending_pick) == (hand("ECCCC"), Card.EMPEROR)
    assert msgspec.structs.replace(mine, hand=(), pending_pick=None) == seen


def test_somebody_without_a_seat_sees_what_a_spectator_sees() -> None:
    match = play(picking(), "alice E")
    assert view(match, CAROL) == view(match, PlayerId("")) == view(match, None)


def test_the_lobby_shows_no_roles_and_no_hands() -> None:
    seen = view(lobby(Seed("7")), ALICE)
    assert (seen.roles, seen.hand, seen.hand_sizes) == (None, (), score(0, 0))


# Actions


def test_a_player_may_lay_each_different_card_of_its_hand_once() -> None:
    assert actions(picking(), ALICE) == (Pick(ALICE, Card.EMPEROR), Pick(ALICE, Card.CITIZEN))
    assert actions(picking(), BOB) == (Pick(BOB, Card.SLAVE), Pick(BOB, Card.CITIZEN))
    assert actions(picking(alice="E", bob="S"), ALICE) == (Pick(ALICE, Card.EMPEROR),)


def test_who_has_picked_has_nothing_to_do_and_the_other_may_still_pick() -> None:
    match = play(picking(), "alice C")
    assert actions(match, ALICE) == ()
    assert actions(match, BOB) == actions(picking(), BOB)


@pytest.mark.parametrize("phase", [Phase.LOBBY, Phase.ROUND_SETUP, Phase.FINISHED])
def test_outside_of_picking_nobody_has_anything_to_do(phase: Phase) -> None:
    assert actions(in_phase(phase), ALICE) == actions(in_phase(phase), BOB) == ()


def test_somebody_without_a_seat_has_nothing_to_do() -> None:
    assert actions(picking(), CAROL) == ()


# The table itself


def test_the_table_starts_the_match_with_the_seed_that_waits_in_the_lobby() -> None:
    assert dealer(lobby(Seed("7"))) == Start(Seed("7"))


def test_without_a_seed_the_table_waits_in_the_lobby() -> None:
    assert dealer(lobby()) is None


def test_the_table_begins_each_round() -> None:
    assert dealer(started()) == dealer(after_rounds("AAA")) == BeginPicking()


@pytest.mark.parametrize("phase", [Phase.PICKING, Phase.FINISHED])
def test_otherwise_the_table_does_nothing_by_itself(phase: Phase) -> None:
    assert dealer(in_phase(phase)) is None


# The end


@pytest.mark.parametrize("phase", [Phase.LOBBY, Phase.ROUND_SETUP, Phase.PICKING])
def test_there_is_no_outcome_before_the_match_is_finished(phase: Phase) -> None:
    assert outcome(in_phase(phase)) is None


def test_the_game_says_who_it_is() -> None:
    assert (game.name, game.title, game.version, list(game.seats)) == ("e-card", "E-Card", 1, [2])
