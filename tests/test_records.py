"""Matches that were recorded once and are never edited: every one of them still loads, replays and was dealt fairly.

A change that moves one of them changes the game: it raises the game's version, and the records of the version before
stay as they are.
"""

from pathlib import Path
from typing import Any

import pytest

from turnstile.kernel.record import Record, Replay, load, refuse_deal, replay, save
from turnstile.registry import find_game, names

FOLDER = Path(__file__).parent / "records"
FILES = sorted(FOLDER.glob("*.jsonl"))


def loaded(file: Path) -> Record:
    record = load(file.read_bytes())
    assert isinstance(record, Record), record
    return record


def replayed(record: Record) -> Replay[Any]:
    game = find_game(record.header.game)
    assert game is not None
    again = replay(record, game)
    assert isinstance(again, Replay), again
    return again


def test_every_installed_game_has_records() -> None:
    assert {loaded(file).header.game for file in FILES} == set(names())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_record_of_a_released_version_loads_replays_and_is_fair(file: Path) -> None:
    record = loaded(file)
    game = find_game(record.header.game)
    assert game is not None
    assert refuse_deal(record, game, replayed(record)) is None
    assert save(record) == file.read_bytes()
    assert file.stem.startswith(f"{game.name}-v{record.header.version}-")


# What each of them is kept for


def e_card(name: str) -> Record:
    return loaded(FOLDER / f"e-card-v1-{name}.jsonl")


def test_a_plain_win_of_e_card_with_a_round_that_was_drawn_four_times() -> None:
    ended = replayed(e_card("plain-win")).states[-1]
    assert (ended.phase, ended.decisive_round_index, ended.is_tie_break) == ("Finished", 12, False)
    rounds = [pair.round for pair in ended.revealed]
    assert max(rounds.count(number) for number in rounds) == 5


def test_a_tie_break_of_e_card() -> None:
    ended = replayed(e_card("tie-break")).states[-1]
    assert (ended.phase, ended.decisive_round_index, ended.is_tie_break) == ("Finished", 13, True)


def test_a_match_of_e_card_with_words_of_both_players() -> None:
    record = e_card("entropy")
    assert {entry.player for entry in record.entropy} == set(record.header.players)
    assert record.seed != record.end.seed
    assert replayed(record).states[-1].phase == "Finished"


def test_a_match_of_e_card_that_was_left_with_one_card_on_the_table() -> None:
    record = e_card("left-early")
    last = replayed(record).states[-1]
    assert (record.end.outcome, last.phase) == (None, "Picking")
    assert list(last.pending_picks.values()).count(None) == 1


def test_a_match_of_even_odd_over_ten_draws_with_words_of_a_player() -> None:
    record = loaded(FOLDER / "even-odd-v1-series.jsonl")
    ended = replayed(record).states[-1]
    assert (ended.phase, len(ended.results)) == ("FINISHED", 10)
    assert record.seed != record.end.seed
    assert {result.status for result in ended.results} == {"WIN", "DRAW"}


def test_a_match_of_even_odd_over_one_draw_that_both_win() -> None:
    record = loaded(FOLDER / "even-odd-v1-single-draw.jsonl")
    assert len(replayed(record).states[-1].results) == 1
    assert record.end.outcome is not None
    assert len(record.end.outcome.winners) == 2


def test_a_match_of_even_odd_that_was_left_with_one_choice_made() -> None:
    record = loaded(FOLDER / "even-odd-v1-left-early.jsonl")
    last = replayed(record).states[-1]
    assert (record.end.outcome, last.phase) == (None, "COLLECTING_CHOICES")
    assert list(last.choices.values()).count(None) == 1


def up_down(name: str) -> Record:
    return loaded(FOLDER / f"up-down-v1-{name}.jsonl")


def test_a_whole_match_of_up_down_for_two_with_thirteen_rounds() -> None:
    record = up_down("two-players")
    ended = replayed(record).states[-1]
    assert (ended.phase, len(ended.completed_rounds), len(record.header.players)) == ("game_complete", 13, 2)


def test_a_match_of_up_down_with_a_round_size_of_its_own_whose_win_is_shared() -> None:
    record = up_down("shared-win")
    assert record.end.outcome is not None
    assert len(record.end.outcome.winners) == 2
    assert replayed(record).states[-1].round_sequence == (1, 2, 3, 2, 1)


def test_a_match_of_up_down_for_ten_with_their_words_that_was_left_in_the_middle_of_a_hand() -> None:
    record = up_down("ten-left-early")
    last = replayed(record).states[-1]
    assert (record.end.outcome, last.phase, len(record.entropy)) == (None, "playing_hand", 2)
    assert last.current_round.current_hand.cards_played
