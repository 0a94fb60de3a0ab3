"""What each recorded match of 66 is kept for. That they load, replay and are fair is checked for all games alike."""

from pathlib import Path
from typing import Any

from turnstile.games.sixtysix.rules import game, sixtysix
from turnstile.kernel.record import Record, Replay, load, replay

FOLDER = Path(__file__).parents[2] / "records"


def recorded(name: str) -> tuple[Record, Replay[Any]]:
    record = load((FOLDER / f"66-v1-{name}.jsonl").read_bytes())
    assert isinstance(record, Record), record
    again = replay(record, game)
    assert isinstance(again, Replay), again
    return record, again


def test_a_match_in_which_every_event_happens_and_every_phase_is_passed() -> None:
    _, played = recorded("every-move")
    assert {type(event) for event in played.events} == set(sixtysix.events)
    assert {hop.target for step in played.steps for hop in step.trace} | {"NOT_STARTED"} == set(sixtysix.phases)
    assert played.states[-1].phase == "GAME_FINISHED"


def test_a_match_of_two_with_words_of_both_players() -> None:
    record, played = recorded("entropy")
    assert {entry.player for entry in record.entropy} == set(record.header.players) == {"ana", "bo"}
    assert played.states[-1].phase == "GAME_FINISHED"


def test_a_match_of_five_in_which_every_round_ends_with_an_empty_deck() -> None:
    _, played = recorded("empty-deck")
    last = played.states[-1]
    assert (len(last.players), last.phase) == (5, "GAME_FINISHED")
    assert {over.stopper for over in last.rounds} == {None}
