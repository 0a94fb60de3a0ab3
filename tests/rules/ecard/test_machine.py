"""The machine of E-Card, sentence by sentence, in the order of the notes on its states, events and errors."""

from itertools import product

import msgspec
import pytest
from msgspec.structs import replace

from tests.rules.ecard.matches import (
    ALICE,
    BOB,
    PLAYERS,
    TRANSITIONS,
    after_rounds,
    decide,
    emperor_of,
    event,
    in_phase,
    lobby,
    picking,
    play,
    points,
    refusal,
    shown,
    started,
    step,
)
from turnstile.games.ecard import BeginPicking, Card, Code, Phase, Pick, Reset, Start, State, ecard, outcome
from turnstile.games.ecard.rules import first_emperor
from turnstile.kernel import Acks, ByPlayer, Hop, PlayerId, Refusal, Rejection, Seed, Step, digest, encode

VALID = {phase: cause for phase, cause, _ in TRANSITIONS if cause != "auto"}
EVENTS = {"Start": "start 7", "BeginPicking": "begin", "Pick": "alice C", "Reset": "reset"}
TIE_BREAK = "ABABABABABAB"


def phases(taken: Step[State]) -> list[str]:
    """Every phase a step passed, the first and the last included."""
    return [taken.trace[0].source, *(hop.target for hop in taken.trace)]


# The state


def test_the_state_has_the_fields_of_the_spec_and_the_pairs_that_were_revealed() -> None:
    written = msgspec.json.decode(encode(picking()))
    assert sorted(written) == sorted(
        [
            *("phase", "players", "roles", "hands", "pendingPicks", "score", "seed"),
            *("decisiveRoundIndex", "decisiveInSide", "isTieBreak", "revealed"),
        ]
    )
    assert sorted(written["roles"]) == ["emperorPlayer", "slavePlayer"]


def test_the_state_is_written_by_player_and_in_the_letters_of_the_cards() -> None:
    assert msgspec.json.decode(encode(play(picking(), "alice C", "bob C", "alice E"))) == {
        "phase": "Picking",
        "players": ["alice", "bob"],
        "roles": {"emperorPlayer": "alice", "slavePlayer": "bob"},
        "hands": {"alice": ["E", "C", "C", "C"], "bob": ["S", "C", "C", "C"]},
        "pendingPicks": {"alice": "E", "bob": None},
        "score": {"alice": 0, "bob": 0},
        "seed": started().seed,
        "decisiveRoundIndex": 0,
        "decisiveInSide": 0,
        "isTieBreak": False,
        "revealed": [{"round": 1, "emperorPlayer": "alice", "cards": {"alice": "C", "bob": "C"}, "winner": None}],
    }


def test_decisive_round_index_counts_completed_decisive_rounds_not_draws() -> None:
    assert [after_rounds("A" * rounds).decisive_round_index for rounds in range(13)] == list(range(13))
    assert play(picking(), "alice C", "bob C").decisive_round_index == 0


def test_decisive_in_side_counts_completed_decisive_rounds_inside_the_current_side() -> None:
    counted = [after_rounds("A" * rounds).decisive_in_side for rounds in range(13)]
    assert counted == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 3]


def test_is_tie_break_is_false_during_the_main_12_rounds_and_true_only_during_the_extra_round() -> None:
    assert [after_rounds(TIE_BREAK[:rounds]).is_tie_break for rounds in range(13)] == [False] * 12 + [True]
    assert not after_rounds("A" * 12).is_tie_break


# The table of transitions


def test_the_machine_has_the_states_and_events_of_the_spec() -> None:
    assert [phase.value for phase in Phase] == ["Lobby", "RoundSetup", "Picking", "Reveal", "Finished"]
    assert ecard.events == (Start, BeginPicking, Pick, Reset)
    assert (ecard.start, ecard.ends) == (Phase.LOBBY, (Phase.FINISHED,))


def test_every_transition_of_the_spec_happens_in_a_match() -> None:
    match = lobby()
    seen: set[tuple[str, str, str]] = set()
    first_rounds = ["begin", "alice C", "bob C", "alice C", "bob S"]
    for text in [f"start {started().seed}", *first_rounds, *(["begin", "alice C", "bob S"] * 2)]:
        taken = step(match, text)
        seen |= {(hop.source, hop.target, hop.cause) for hop in taken.trace}
        match = taken.state
    last = play(after_rounds("A" * 11), "begin", "alice S")
    for text in ("bob E", "reset"):
        taken = step(last, text)
        seen |= {(hop.source, hop.target, hop.cause) for hop in taken.trace}
        last = taken.state
    assert seen == {(source, target, cause) for source, cause, target in TRANSITIONS}


WRONG = [(phase, name) for phase, name in product(Phase, EVENTS) if VALID.get(phase.value) != name]


@pytest.mark.parametrize(("phase", "name"), WRONG)
def test_what_is_not_valid_in_a_phase_is_refused_as_wrong_phase(phase: Phase, name: str) -> None:
    match = replace(picking(), phase=phase) if phase is Phase.REVEAL else in_phase(phase)
    answer = ecard.apply(match, event(EVENTS[name]))
    hint = f"possible now: {VALID[phase.value]}" if phase.value in VALID else "nothing is possible any more"
    assert answer == Rejection(Refusal.WRONG_PHASE, f"{name} is not possible in {phase}; {hint}.")


# Lobby


def test_start_leads_to_round_setup() -> None:
    taken = step(lobby(), "start 7")
    assert taken.trace == (Hop("Lobby", "RoundSetup", "Start", ""),)
    assert taken.state.seed == "7"


def test_the_seed_of_the_start_counts_not_the_one_that_waited_in_the_lobby() -> None:
    assert play(lobby(Seed("8")), "start 7") == play(lobby(), "start 7")


# RoundSetup


@pytest.mark.parametrize("number", range(8))
def test_if_decisive_round_index_is_0_initial_roles_are_picked_from_the_seed(number: int) -> None:
    assert emperor_of(play(lobby(), f"start {number}")) == first_emperor(PLAYERS, Seed(str(number)))


def test_hands_reset_in_round_setup_and_pending_picks_are_cleared() -> None:
    match = play(picking(), "alice C", "bob C", "alice C", "bob S")
    assert match.phase is Phase.ROUND_SETUP
    assert shown(match.hands) == ("ECCCC", "SCCCC")
    assert match.pending_picks == ByPlayer({ALICE: None, BOB: None})


def test_when_decisive_in_side_becomes_3_roles_switch_and_it_is_set_back_to_0() -> None:
    before, after = after_rounds("AA"), after_rounds("AAA")
    assert (before.decisive_in_side, emperor_of(before)) == (2, ALICE)
    assert (after.decisive_in_side, emperor_of(after)) == (0, BOB)


def test_otherwise_roles_stay_the_same() -> None:
    assert emperor_of(after_rounds("")) == emperor_of(after_rounds("A")) == emperor_of(after_rounds("AB")) == ALICE


def test_if_decisive_round_index_is_12_and_the_score_is_tied_the_extra_round_is_prepared() -> None:
    match = after_rounds(TIE_BREAK)
    assert (match.phase, match.is_tie_break, points(match)) == (Phase.ROUND_SETUP, True, (6, 6))


def test_if_decisive_round_index_is_12_and_the_score_is_not_tied_the_match_ends() -> None:
    match = after_rounds("A" * 7 + "B" * 5)
    assert (match.phase, match.is_tie_break, points(match)) == (Phase.FINISHED, False, (7, 5))


def test_after_round_12_roles_never_switch_tied_or_not() -> None:
    """Read alone, the rule for switching would apply here too; the rules text wins over it."""
    last_side = emperor_of(after_rounds("A" * 11))
    assert emperor_of(after_rounds("A" * 12)) == emperor_of(after_rounds(TIE_BREAK)) == last_side == BOB


def test_begin_picking_leads_to_picking() -> None:
    taken = step(started(), "begin")
    assert taken.trace == (Hop("RoundSetup", "Picking", "BeginPicking", ""),)
    assert taken.state == replace(started(), phase=Phase.PICKING)


# Picking


def test_both_players_submit_exactly_one_pick() -> None:
    match = play(picking(), "bob S")
    assert match.pending_picks == ByPlayer({ALICE: None, BOB: Card.SLAVE})
    assert step(picking(), "bob S").trace == (Hop("Picking", "Picking", "Pick", "one pick"),)
    assert shown(match.hands) == ("ECCCC", "SCCCC"), "a card that lies face down has not left the hand"


@pytest.mark.parametrize("first", PLAYERS)
def test_when_both_players_have_a_pending_pick_the_machine_passes_through_reveal(first: str) -> None:
    second = BOB if first == ALICE else ALICE
    taken = step(play(picking(), f"{first} C"), f"{second} C")
    assert taken.trace == (Hop("Picking", "Reveal", "Pick", "both picked"), Hop("Reveal", "Picking", "auto", "draw"))


# Reveal


def test_reveal_names_itself_in_the_trace_wherever_it_leads() -> None:
    draw = step(play(picking(), "alice C"), "bob C")
    decisive = step(play(picking(), "alice C"), "bob S")
    over = step(play(after_rounds("A" * 11), "begin", "alice S"), "bob E")
    assert phases(draw) == ["Picking", "Reveal", "Picking"]
    assert phases(decisive) == ["Picking", "Reveal", "RoundSetup"]
    assert phases(over) == ["Picking", "Reveal", "Finished"]
    assert [taken.trace[1].label for taken in (draw, decisive, over)] == ["draw", "decisive", "match over"]


def test_no_match_rests_in_reveal() -> None:
    assert play(picking(), "alice E", "bob C").phase is not Phase.REVEAL


def test_the_used_cards_are_removed_from_both_hands_even_when_the_match_is_over() -> None:
    match = play(after_rounds("A" * 11), "begin", "alice C", "bob C", "alice S", "bob E")
    assert match.phase is Phase.FINISHED
    assert shown(match.hands) == ("CCC", "CCC")
    assert match.pending_picks == ByPlayer({ALICE: None, BOB: None})


def test_a_draw_changes_only_hands_and_picks_and_what_was_revealed() -> None:
    before = play(after_rounds("AB"), "begin")
    after = play(before, "alice C", "bob C")
    assert after == replace(before, hands=after.hands, revealed=after.revealed)
    assert shown(after.hands) == ("ECCC", "SCCC")


def test_a_decisive_reveal_increments_score_round_and_side() -> None:
    before, after = after_rounds("A"), after_rounds("AB")
    counters = [(points(match), match.decisive_round_index, match.decisive_in_side) for match in (before, after)]
    assert counters == [((1, 0), 1, 1), ((1, 1), 2, 2)]


@pytest.mark.parametrize("winner", PLAYERS)
def test_in_the_tie_break_decisive_in_side_stays_3(winner: PlayerId) -> None:
    match = after_rounds(TIE_BREAK)
    assert match.decisive_in_side == 3
    ended = decide(match, winner)
    assert (ended.decisive_in_side, ended.decisive_round_index, ended.is_tie_break) == (3, 13, True)


def test_what_was_revealed_is_kept_for_the_whole_match() -> None:
    match = play(after_rounds("AAA"), "begin", "alice C", "bob C")
    assert [(pair.round, pair.emperor_player, pair.winner) for pair in match.revealed] == [
        (1, ALICE, ALICE),
        (2, ALICE, ALICE),
        (3, ALICE, ALICE),
        (4, BOB, None),
    ]


# Finished


@pytest.mark.parametrize("winners", ["A" * 12, "A" * 7 + "B" * 5, TIE_BREAK + "A"])
def test_the_player_with_the_higher_score_wins(winners: str) -> None:
    ended = outcome(after_rounds(winners))
    assert ended is not None
    assert ended.winners == (ALICE,)


@pytest.mark.parametrize("winners", ["A" * 12, TIE_BREAK + "B"])
def test_reset_leads_to_the_lobby_as_if_nothing_had_been_played(winners: str) -> None:
    taken = step(after_rounds(winners), "reset")
    assert taken.trace == (Hop("Finished", "Lobby", "Reset", ""),)
    assert taken.state == lobby()
    assert play(taken.state, "start 7") == play(lobby(), "start 7")


# Errors

MALFORMED = [
    ("{}", "type"),
    ('{"type": "Deal"}', "$.type"),
    ('{"type": "Start"}', "seed"),
    ('{"type": "Start", "seed": ""}', "$.seed"),
    ('{"type": "Start", "seed": 7}', "$.seed"),
    ('{"type": "Start", "seed": "%s"}' % ("7" * 1025), "$.seed"),
    ('{"type": "BeginPicking", "player": "alice"}', "player"),
    ('{"type": "Pick", "card": "C"}', "player"),
    ('{"type": "Pick", "player": "", "card": "C"}', "$.player"),
    ('{"type": "Pick", "player": "alice"}', "card"),
    ('{"type": "Pick", "player": "alice", "card": "K"}', "$.card"),
    ('{"type": "Pick", "player": "alice", "card": ["C"]}', "$.card"),
    ('{"type": "Reset", "seed": "7"}', "seed"),
]


@pytest.mark.parametrize(("written", "place"), MALFORMED)
def test_an_event_that_is_malformed_or_unknown_is_an_invalid_event(written: str, place: str) -> None:
    answer = ecard.read_event(written)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_EVENT
    assert place in answer.sentence


@pytest.mark.parametrize("text", EVENTS.values())
def test_what_an_event_writes_it_reads(text: str) -> None:
    assert ecard.read_event(encode(event(text))) == event(text)


def test_a_player_without_a_seat_is_an_unknown_player() -> None:
    assert refusal(picking(), "carol C") == Code.UNKNOWN_PLAYER


def test_a_second_pick_is_refused_as_already_picked() -> None:
    assert refusal(play(picking(), "bob C"), "bob C") == Code.ALREADY_PICKED


def test_a_card_that_is_not_held_is_refused_as_card_not_in_hand() -> None:
    assert refusal(picking(alice="EC", bob="SC"), "alice S") == Code.CARD_NOT_IN_HAND


def test_there_are_these_five_errors() -> None:
    codes = ["InvalidEvent", "WrongPhase", "UnknownPlayer", "AlreadyPicked", "CardNotInHand"]
    assert [str(code) for code in ecard.codes] == codes


def test_an_error_is_a_code_and_a_sentence_on_the_wire() -> None:
    answer = ecard.apply(picking(), event("alice S"))
    sentence = "You hold no slave; lay a card of your hand."
    assert msgspec.json.decode(encode(answer)) == {"code": "CardNotInHand", "message": sentence}


def test_an_unknown_event_is_invalid_before_it_is_in_the_wrong_phase() -> None:
    for phase in VALID:
        answer = ecard.apply(in_phase(Phase(phase)), Acks())
        assert answer == Rejection(Refusal.INVALID_EVENT, "e-card has no event Acks.")


def test_the_wrong_phase_comes_before_the_unknown_player() -> None:
    assert refusal(lobby(), "carol S") == Refusal.WRONG_PHASE


def test_the_unknown_player_comes_before_what_was_picked() -> None:
    assert refusal(play(picking(), "alice C"), "carol S") == Code.UNKNOWN_PLAYER


def test_the_pick_that_was_made_comes_before_the_card_that_is_not_held() -> None:
    assert refusal(play(picking(), "alice C"), "alice S") == Code.ALREADY_PICKED


@pytest.mark.parametrize("text", ["start 7", "reset", "carol C", "alice C", "bob E"])
def test_an_error_leaves_nothing_changed(text: str) -> None:
    match = play(picking(), "alice C")
    before = digest(match)
    assert refusal(match, text)
    assert digest(match) == before
    assert play(match, "bob C") == play(picking(), "alice C", "bob C"), "the match goes on as if nothing was said"
