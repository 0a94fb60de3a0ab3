"""The machine of 66: its table against the edges of the spec's diagram, the state on the wire, and every refusal."""

import re
from itertools import permutations

import msgspec
import pytest

from tests.rules.sixtysix.matches import (
    ALICE,
    DIAGRAM,
    RESTING,
    act,
    event,
    in_phase,
    lobby,
    play,
    refusal,
    step,
    turn,
)
from turnstile.games.sixtysix.moves import ShowCards, TakeCardFromDeck
from turnstile.games.sixtysix.rules import ACKS_DUE, dealer, game, sixtysix
from turnstile.games.sixtysix.state import Code, Phase
from turnstile.kernel import Acks, Hop, PlayerId, Refusal, Rejection, Timeout, digest, encode
from turnstile.kernel.diagram import dot, mermaid

# The table


def test_the_machine_has_the_states_of_the_diagram_and_a_name_for_its_first_dot() -> None:
    drawn = {name for source, _, target in DIAGRAM for name in (source, target)} - {"[*]"}
    assert {phase.value for phase in Phase} == drawn | {"NOT_STARTED"}
    assert (sixtysix.start, sixtysix.ends) == (Phase.NOT_STARTED, (Phase.GAME_FINISHED,))


def test_the_labels_are_those_of_the_diagram() -> None:
    labels = {hop.label for row in sixtysix.rows for hop in row.hops.values()} - {""}
    assert labels == {
        *("some cards are different", "all cards are identical", "plain card", "not last turn", "last turn"),
        *("7 to 12", "7 or 8", "9 or 10", "11 or 12"),
        *("nobody's score exceeds 66", "someone's score exceeds 66"),
    }


@pytest.mark.parametrize(
    ("power", "event_name", "target"),
    [
        ("7 or 8", "PeekOwnCard", "PEEKING_OWN_CARD"),
        ("9 or 10", "PeekAnothersCard", "PEEKING_ANOTHERS_CARD"),
        ("11 or 12", "ExchangeCards", "EXCHANGING_CARDS"),
    ],
)
def test_the_edges_out_of_discarded_say_for_which_cards_they_are(power: str, event_name: str, target: str) -> None:
    assert f"discarded --> {target}: {event_name} ({power})\n" in mermaid(sixtysix)
    (edge,) = re.findall(rf'"discarded" -> "{target}" \[label="([^"]*)"', dot(sixtysix))
    assert " ".join(edge.replace("\\n", " ").split()) == f"{event_name} ({power})"


def test_a_step_names_every_phase_it_passes() -> None:
    match = act(turn(PlayerId("bob")), "bob stop", "carol pick 0")
    taken = step(play(match, "alice show 0 1"), "acks")
    assert taken.trace == (
        Hop("SHOWING_CARDS", "comparing_cards", "Acks", ""),
        Hop("comparing_cards", "turn_done", "auto", "some cards are different"),
        Hop("turn_done", "round_done", "auto", "last turn"),
        Hop("round_done", "ROUND_FINISHED", "auto", "nobody's score exceeds 66"),
    )


@pytest.mark.parametrize("phase", RESTING)
def test_the_table_sends_acks_wherever_acknowledgements_are_awaited_and_nothing_else(phase: Phase) -> None:
    waits = phase.value in {source for source, cause, _ in DIAGRAM if cause == "Acks"}
    assert dealer(in_phase(phase)) == (Acks() if waits else None)
    assert (phase in ACKS_DUE) == waits


# The state


def test_the_state_on_the_wire() -> None:
    match = play(turn(alice="12 4 9 1", bob="8 0", carol="13 6 3", pile="2 7", totals=(1, 0, 5)), "alice pick 2")
    assert msgspec.json.decode(encode(match)) == {
        "phase": "REPLACING_CARD_BY_DISCARDED",
        "players": ["alice", "bob", "carol"],
        "seed": "7",
        "commitment": match.commitment,
        "deck": list(match.deck),
        "discarded": [2, 9],
        "hands": [
            [
                {"value": 12, "seenBy": [0]},
                {"value": 4, "seenBy": [0]},
                {"value": 7, "seenBy": [0, 1, 2]},
                {"value": 1, "seenBy": []},
            ],
            [{"value": 8, "seenBy": [1]}, {"value": 0, "seenBy": [1]}],
            [{"value": 13, "seenBy": [2]}, {"value": 6, "seenBy": [2]}, {"value": 3, "seenBy": []}],
        ],
        "taken": None,
        "touched": [{"playerIndex": 0, "cardIndex": 2}],
        "turn": 0,
        "starter": 0,
        "stopper": None,
        "turnCount": 0,
        "totals": [1, 0, 5],
        "rounds": [
            {"turnCount": 3, "stopper": None, "scores": [0, 0, 2]},
            {"turnCount": 3, "stopper": None, "scores": [1, 0, 3]},
        ],
    }


WRITTEN = {
    '{"type":"StartGame","player":"alice"}': "alice start",
    '{"type":"TakeCardFromDeck","player":"alice"}': "alice take",
    '{"type":"ReplaceCardByDiscarded","player":"alice","cardIndex":2}': "alice pick 2",
    '{"type":"ShowCards","player":"alice","cardIndexes":[0,2]}': "alice show 0 2",
    '{"type":"StopRound","player":"alice"}': "alice stop",
    '{"type":"ReplaceCardFromDeck","player":"alice","cardIndex":2}': "alice keep 2",
    '{"type":"Discard","player":"alice"}': "alice discard",
    '{"type":"PeekOwnCard","player":"alice","cardIndex":2}': "alice peek 2",
    '{"type":"PeekAnothersCard","player":"alice","anotherPlayerIndex":1,"cardIndex":2}': "alice peek 1.2",
    '{"type":"ExchangeCards","player":"alice","cardIndex":3,"anotherPlayerIndex":1,"anotherPlayerCardIndex":2}': (
        "alice exchange 3 1.2"
    ),
    '{"type":"ReplaceCardsFromDeck","player":"alice"}': "alice blind",
    '{"type":"ReplaceCardsByDiscarded","player":"alice"}': "alice open",
    '{"type":"StartNextRound","player":"alice"}': "alice next",
    '{"type":"Acks"}': "acks",
}


@pytest.mark.parametrize(("written", "text"), WRITTEN.items())
def test_actions_on_the_wire(written: str, text: str) -> None:
    assert sixtysix.read_event(written) == event(text)
    assert encode(event(text)).decode() == written


def test_the_machine_takes_these_events_and_no_others() -> None:
    assert {type(event(text)) for text in WRITTEN.values()} == set(sixtysix.events)


# Refusals


@pytest.mark.parametrize("phase", [phase for phase in RESTING if phase in ACKS_DUE])
@pytest.mark.parametrize("text", [text for text in WRITTEN.values() if text != "acks"])
def test_no_action_is_accepted_while_acknowledgements_are_missing(phase: Phase, text: str) -> None:
    assert refusal(in_phase(phase), text) == Code.ACKS_MISSING


@pytest.mark.parametrize("phase", [phase for phase in RESTING if phase not in ACKS_DUE])
@pytest.mark.parametrize("text", WRITTEN.values())
def test_what_has_no_row_is_refused_as_wrong_phase(phase: Phase, text: str) -> None:
    answer = sixtysix.apply(in_phase(phase), event(text))
    has_row = any(row.phase is phase and row.event is type(event(text)) for row in sixtysix.rows)
    assert (isinstance(answer, Rejection) and answer.code == Refusal.WRONG_PHASE) == (not has_row)


class Shout(Timeout, frozen=True):
    """No event of 66."""


def test_what_is_no_event_of_66_is_invalid_even_while_acknowledgements_are_missing() -> None:
    answer = sixtysix.apply(in_phase(Phase.DISCARDING), Shout())
    assert answer == Rejection(Refusal.INVALID_EVENT, "66 has no event Shout.")


ACTIVE = [
    (Phase.NOT_STARTED, "start"),
    *[(Phase.READY_FOR_TURN, verb) for verb in ("take", "pick 0", "show 0 1", "stop")],
    *[(Phase.DECK_CARD_TAKEN, verb) for verb in ("keep 0", "discard")],
    *[(Phase.DISCARDED, verb) for verb in ("peek 0", "peek 1.0", "exchange 0 1.0")],
    *[(Phase.REPLACING_CARDS, verb) for verb in ("blind", "open")],
]


@pytest.mark.parametrize(("phase", "verb"), [*ACTIVE, (Phase.ROUND_FINISHED, "next")])
def test_a_player_without_a_seat_is_refused(phase: Phase, verb: str) -> None:
    assert refusal(in_phase(phase), f"dave {verb}") == Code.UNKNOWN_PLAYER


@pytest.mark.parametrize(("phase", "verb"), ACTIVE)
def test_an_action_out_of_turn_is_refused(phase: Phase, verb: str) -> None:
    assert refusal(in_phase(phase), f"bob {verb}") == refusal(in_phase(phase), f"carol {verb}") == Code.NOT_YOUR_TURN


def test_only_the_first_seat_starts_the_game() -> None:
    answer = sixtysix.apply(lobby(), event("carol start"))
    assert answer == Rejection(Code.NOT_YOUR_TURN, "It is for alice to act now; wait for your turn.")


def test_only_the_next_player_starts_the_next_round() -> None:
    match = in_phase(Phase.ROUND_FINISHED)
    assert refusal(match, "alice next") == refusal(match, "bob next") == Code.NOT_YOUR_TURN
    assert play(match, "carol next").phase is Phase.ROUND_STARTING


def test_a_second_stop_is_refused() -> None:
    match = act(turn(), "alice stop")
    assert refusal(match, "bob stop") == Code.ALREADY_STOPPED
    assert play(act(match, "bob pick 0", "carol pick 0"), "bob next").stopper is None


POWER = {7: "peek 0", 8: "peek 0", 9: "peek 1.0", 10: "peek 1.0", 11: "exchange 0 1.0", 12: "exchange 0 1.0"}


@pytest.mark.parametrize("value", POWER)
@pytest.mark.parametrize("verb", sorted(set(POWER.values())))
def test_only_the_power_of_the_discarded_card_can_be_used(value: int, verb: str) -> None:
    match = act(turn(draws=str(value)), "alice take", "alice discard")
    if POWER[value] == verb:
        assert play(match, f"alice {verb}").phase is not Phase.DISCARDED
    else:
        assert refusal(match, f"alice {verb}") == Code.WRONG_POWER


CARDS = [
    (Phase.READY_FOR_TURN, "pick {}"),
    (Phase.READY_FOR_TURN, "show 0 {}"),
    (Phase.DECK_CARD_TAKEN, "keep {}"),
    (Phase.DISCARDED, "peek {}"),
]


@pytest.mark.parametrize(("phase", "verb"), CARDS)
@pytest.mark.parametrize("index", [4, 99, 10**30])
def test_an_index_out_of_range_is_no_such_card(phase: Phase, verb: str, index: int) -> None:
    assert refusal(in_phase(phase), f"alice {verb.format(index)}") == Code.NO_SUCH_CARD


@pytest.mark.parametrize("index", [-1, -4, -(10**30)])
def test_a_negative_index_is_no_such_card(index: int) -> None:
    assert refusal(turn(), f"alice pick {index}") == Code.NO_SUCH_CARD
    assert refusal(turn(), f"alice show {index} 2") == Code.NO_SUCH_CARD


def test_indexes_go_as_far_as_the_hand_that_is_meant() -> None:
    match = turn(alice="12 4 9 1", bob="8 0", draws="11")
    match = act(match, "alice take", "alice discard")
    assert refusal(match, "alice exchange 3 1.2") == Code.NO_SUCH_CARD
    assert refusal(match, "alice exchange 4 1.1") == Code.NO_SUCH_CARD
    assert play(match, "alice exchange 3 1.1").phase is Phase.EXCHANGING_CARDS


@pytest.mark.parametrize(("draw", "verb"), [("9", "peek {}.0"), ("12", "exchange 0 {}.0")])
def test_another_player_is_another_player(draw: str, verb: str) -> None:
    match = act(turn(draws=draw), "alice take", "alice discard")
    for index in (-1, 3, 99):
        assert refusal(match, f"alice {verb.format(index)}") == Code.NO_SUCH_PLAYER
    assert refusal(match, f"alice {verb.format(0)}") == Code.NOT_ANOTHERS_CARD


def test_another_players_card_must_be_there() -> None:
    match = act(turn(draws="9"), "alice take", "alice discard")
    assert refusal(match, "alice peek 1.4") == refusal(match, "alice peek 1.-1") == Code.NO_SUCH_CARD


@pytest.mark.parametrize("claim", ["", "2", "9"])
def test_a_claim_has_two_cards_at_least(claim: str) -> None:
    assert refusal(turn(), f"alice show {claim}") == Code.TOO_FEW_CARDS


@pytest.mark.parametrize("claim", ["1 1", "0 1 1", "2 1 2", "9 9"])
def test_a_claim_names_each_card_once(claim: str) -> None:
    assert refusal(turn(), f"alice show {claim}") == Code.REPEATED_CARD


@pytest.mark.parametrize("claim", list(permutations((0, 1, 3))))
def test_a_claim_names_its_cards_in_any_order_and_all_orders_are_one_claim(claim: tuple[int, ...]) -> None:
    written = encode({"type": "ShowCards", "player": "alice", "cardIndexes": claim})
    read = sixtysix.read_event(written)
    assert read == ShowCards(ALICE, claim) == ShowCards(ALICE, (0, 1, 3))
    assert encode(read) == b'{"type":"ShowCards","player":"alice","cardIndexes":[0,1,3]}'
    for cards in ("5 5 3 5", "12 4 9 1"):
        assert sixtysix.step(turn(alice=cards), ShowCards(ALICE, claim)) == step(turn(alice=cards), "alice show 0 1 3")


def test_who_comes_before_what() -> None:
    assert refusal(turn(), "bob show 9 9") == Code.NOT_YOUR_TURN
    assert refusal(turn(), "dave pick 9") == Code.UNKNOWN_PLAYER
    match = act(turn(draws="7"), "alice take", "alice discard")
    assert refusal(match, "bob exchange 9 9.9") == Code.NOT_YOUR_TURN
    assert refusal(match, "alice exchange 9 9.9") == Code.WRONG_POWER


def test_a_refusal_says_nothing_about_cards_that_lie_face_down() -> None:
    """The same wrong claim is refused in the same words, whatever the cards are."""
    one, other = turn(alice="5 5 5 5", bob="4 8 3 10"), turn(alice="12 4 9 1")
    for claim in ((0,), (1, 1), (0, 4)):
        assert sixtysix.apply(one, ShowCards(ALICE, claim)) == sixtysix.apply(other, ShowCards(ALICE, claim))


def test_every_code_is_provoked_above_and_a_missing_seed_where_a_match_is_opened() -> None:
    assert [code.value for code in Code] == [
        *("AcksMissing", "UnknownPlayer", "NotYourTurn", "AlreadyStopped", "WrongPower"),
        *("NoSuchPlayer", "NotAnothersCard", "NoSuchCard", "TooFewCards", "RepeatedCard"),
    ]


@pytest.mark.parametrize("text", ["bob take", "alice pick 4", "alice show 1 1", "acks", "dave stop", "alice discard"])
def test_a_refusal_leaves_nothing_changed(text: str) -> None:
    match = turn()
    before = digest(match)
    assert refusal(match, text)
    assert digest(match) == before
    assert TakeCardFromDeck(ALICE) in game.actions(match, ALICE)
