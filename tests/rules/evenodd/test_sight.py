"""What the players of Even/Odd are told, shown and offered, what the table does, and how it all looks on the wire."""

from hashlib import sha256

import msgspec
import pytest

from tests.rules.evenodd.matches import (
    ALICE,
    BOB,
    PLAYERS,
    collecting,
    event,
    finished,
    idle,
    play,
    seed_for,
    step,
)
from turnstile.games.evenodd import (
    ChooseParity,
    MatchFinished,
    MatchStarted,
    NumberDrawn,
    OpponentChose,
    Parity,
    Phase,
    Start,
    State,
    View,
    actions,
    dealer,
    evenodd,
    game,
    view,
)
from turnstile.kernel import ByPlayer, Commitment, Message, PlayerId, Rejection, Seed, Step, Tell, encode

CAROL = PlayerId("carol")


def told_both(taken: Step[State]) -> tuple[list[Message], list[Message]]:
    """What Alice and what Bob are told."""
    return taken.told(ALICE), taken.told(BOB)


# Messages


def test_start_tells_both_how_many_draws_there_are_and_a_commitment_to_the_seed() -> None:
    opening = MatchStarted(10, Commitment(sha256(b"7").hexdigest()))
    assert told_both(step(idle(), "start 7")) == ([opening], [opening])


@pytest.mark.parametrize("said", ["even", "odd"])
def test_a_choice_tells_the_opponent_alone_that_it_was_made_not_what(said: str) -> None:
    assert told_both(step(collecting(), f"alice {said}")) == ([], [OpponentChose()])
    assert msgspec.json.decode(encode(OpponentChose())) == {"type": "OpponentChose"}


def test_the_second_choice_tells_the_opponent_of_it_and_then_both_what_was_drawn() -> None:
    taken = step(play(collecting(4), "alice even"), "bob odd")
    drawn = NumberDrawn(1, taken.state.results[0], ByPlayer({ALICE: 3, BOB: 0}))
    assert told_both(taken) == ([OpponentChose(), drawn], [drawn])


def test_at_the_end_both_are_told_the_last_number_then_winners_totals_and_the_seed() -> None:
    taken = step(play(collecting(4, 7, draws=2), "alice even", "bob odd", "bob odd"), "alice even")
    score = ByPlayer({ALICE: 3, BOB: 3})
    last = [NumberDrawn(2, taken.state.results[1], score), MatchFinished(PLAYERS, score, seed_for(4, 7))]
    assert told_both(taken) == (last, [OpponentChose(), *last])


def test_each_message_is_a_batch_of_its_own() -> None:
    taken = step(play(collecting(4, draws=1), "alice even"), "bob odd")
    assert all(isinstance(effect, Tell) and len(effect.batches) == 1 for effect in taken.effects)
    assert len(taken.effects) == 3


# Views


def test_a_view_has_all_but_the_other_players_choice_and_the_seed() -> None:
    match = play(collecting(4), "alice even", "bob odd", "bob odd")
    assert view(match, ALICE) == View(
        phase=Phase.COLLECTING_CHOICES,
        players=PLAYERS,
        draws=10,
        choice=None,
        has_chosen=ByPlayer({ALICE: False, BOB: True}),
        score=ByPlayer({ALICE: 3, BOB: 0}),
        results=match.results,
    )
    assert view(match, BOB).choice is Parity.ODD
    assert msgspec.json.decode(encode(view(match, BOB))).keys() == {
        *("phase", "players", "draws", "choice", "hasChosen", "score", "results")
    }


@pytest.mark.parametrize("eyes", [None, CAROL])
def test_a_spectator_sees_that_players_have_chosen_but_not_what(eyes: PlayerId | None) -> None:
    one, other = (view(play(collecting(), f"alice {said}"), eyes) for said in ("even", "odd"))
    assert one == other
    assert (one.choice, one.has_chosen[ALICE]) == (None, True)


# Actions and the dealer


def test_a_player_who_has_not_chosen_may_say_even_or_odd() -> None:
    both = (ChooseParity(ALICE, "even"), ChooseParity(ALICE, "odd"))
    assert actions(collecting(), ALICE) == actions(play(collecting(), "bob odd"), ALICE) == both


def test_nobody_else_may_do_anything() -> None:
    assert actions(play(collecting(), "alice odd"), ALICE) == ()
    assert actions(collecting(), CAROL) == ()
    for match in (idle(), finished(4, alice="e", bob="o")):
        assert actions(match, ALICE) == ()


def test_the_table_starts_the_match_with_the_seed_that_waits() -> None:
    assert dealer(idle(seed=Seed("7"))) == Start(Seed("7"))


def test_otherwise_the_table_does_nothing() -> None:
    assert [dealer(match) for match in (idle(), collecting(), finished(4, alice="e", bob="o"))] == [None] * 3


# On the wire


def test_a_choice_is_called_as_in_the_specification() -> None:
    written = {"type": "CHOOSE_PARITY_RESPONSE", "player": "alice", "parityChoice": "even"}
    assert msgspec.json.decode(encode(event("alice even"))) == written
    assert evenodd.read_event(msgspec.json.encode(written)) == event("alice even")


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("{}", "type"),
        ('{"type": "ChooseParity", "player": "alice", "parityChoice": "even"}', "$.type"),
        ('{"type": "Start"}', "seed"),
        ('{"type": "Start", "seed": ""}', "$.seed"),
        ('{"type": "CHOOSE_PARITY_RESPONSE", "player": "alice"}', "parityChoice"),
        ('{"type": "CHOOSE_PARITY_RESPONSE", "player": "", "parityChoice": "even"}', "$.player"),
        ('{"type": "CHOOSE_PARITY_RESPONSE", "player": "alice", "parityChoice": 2}', "$.parityChoice"),
        ('{"type": "CHOOSE_PARITY_RESPONSE", "player": "alice", "parityChoice": null}', "$.parityChoice"),
    ],
)
def test_an_event_that_is_malformed_or_unknown_is_an_invalid_event(written: str, place: str) -> None:
    answer = evenodd.read_event(written)
    assert isinstance(answer, Rejection)
    assert answer.code == "InvalidEvent"
    assert place in answer.sentence


def test_the_state_is_written_in_the_words_of_the_specification() -> None:
    assert msgspec.json.decode(encode(play(collecting(4), "alice even", "bob even", "bob odd"))) == {
        "phase": "COLLECTING_CHOICES",
        "players": ["alice", "bob"],
        "draws": 10,
        "choices": {"alice": None, "bob": "odd"},
        "score": {"alice": 1, "bob": 1},
        "results": [
            {
                "drawnNumber": 4,
                "numberParity": "even",
                "choices": {"alice": "even", "bob": "even"},
                "status": "DRAW",
                "winnerPlayerId": None,
                "points": {"alice": 1, "bob": 1},
            }
        ],
        "seed": seed_for(4),
    }


def test_the_phases_and_codes_are_these() -> None:
    assert [phase.value for phase in Phase] == ["IDLE", "COLLECTING_CHOICES", "DRAWING_NUMBER", "FINISHED"]
    assert list(evenodd.codes) == ["InvalidEvent", "WrongPhase", "UnknownPlayer", "AlreadyChosen", "E004"]
    assert (game.name, game.title, game.version, list(game.seats)) == ("even-odd", "Even/Odd", 1, [2])
