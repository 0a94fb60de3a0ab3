"""A game is its machine and a few functions; who may sit down to it and with which options is answered in sentences."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from random import Random
from typing import Annotated, Any

import pytest
from msgspec import Meta

from turnstile.games import ecard, updown
from turnstile.kernel import (
    AnyGame,
    ByPlayer,
    Game,
    Machine,
    Message,
    Outcome,
    PlayerId,
    Refusal,
    Rejection,
    Seed,
    Study,
    Value,
    encode,
    refuse_players,
)
from turnstile.kernel.game import places
from turnstile.kernel.values import LONGEST_ID
from turnstile.registry import find_game, names
from turnstile.testing.strategies import RandomMatch

PLAYERS = (PlayerId("ana"), PlayerId("bo"))


class Phase(StrEnum):
    OVER = "Over"


class Code(StrEnum):
    NEVER = "Never"


class State(Value, frozen=True):
    phase: Phase = Phase.OVER


class View(Value, frozen=True):
    pass


class Options(Value, frozen=True):
    round_size: Annotated[int, Meta(ge=1, le=30)] = 7
    pace: Annotated[float, Meta(gt=0, lt=2.5)] = 1.0


class Over(Message, frozen=True):
    pass


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    return State()


still: Game[State, View, Options] = Game(
    machine=Machine("still-life", Phase, start=Phase.OVER, ends=(Phase.OVER,), state=State, messages=Over, codes=Code),
    title="Still Life",
    version=1,
    seats=range(2, 6),
    options=Options,
    new=new,
    view=lambda state, player: View(),
    actions=lambda state, player: (),
    dealer=lambda state: None,
    outcome=lambda state: Outcome((), ByPlayer()),
)


def seated(*names: str) -> tuple[PlayerId, ...]:
    return tuple(PlayerId(name) for name in names)


def test_a_game_has_the_name_of_its_machine() -> None:
    assert still.name == "still-life"


def test_options_are_read_and_what_is_left_out_has_its_default() -> None:
    assert still.read_options(b'{"roundSize": 3}') == Options(3)
    assert still.read_options("{}") == Options(7)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('{"roundSize": 0}', "still-life: roundSize must be at least 1."),
        ('{"roundSize": 31}', "still-life: roundSize must be at most 30."),
        ('{"pace": 0}', "still-life: pace must be more than 0."),
        ('{"pace": 2.5}', "still-life: pace must be less than 2.5."),
        ('{"roundSize": "7"}', "`$.roundSize`"),
        ('{"round_size": 7}', "unknown field `round_size`"),
        ("[]", "Expected `object`"),
        ("", "truncated"),
    ],
)
def test_what_is_no_option_is_refused_and_the_sentence_says_why(written: str, why: str) -> None:
    answer = still.read_options(written)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_OPTIONS
    assert answer.sentence.startswith("Invalid options for still-life: ")
    assert why in answer.sentence


def test_options_are_refused_when_no_company_could_play_with_them() -> None:
    game = updown.game
    assert game.refuse_options(updown.Options(25)) is None
    why = "With 2 players maxRoundSize is from 1 to 25."
    assert game.refuse_options(updown.Options(26)) == Rejection(Refusal.INVALID_OPTIONS, why)


def test_an_outcome_names_winners_and_scores() -> None:
    ended = Outcome(seated("ana"), ByPlayer(zip(seated("ana", "bo"), (7, 5), strict=True)))
    assert encode(ended) == b'{"winners":["ana"],"scores":{"ana":7,"bo":5}}'


@pytest.mark.parametrize(
    ("winners", "scores", "expected"),
    [
        ("a", {"a": 9, "b": 5, "c": 7}, [1, 3, 2]),  # more points are better
        ("a", {"a": 1, "b": 5, "c": 7}, [1, 2, 3]),  # fewer points are better, as in 66
        ("a", {"a": 6, "b": 5, "c": 7}, [1, 2, 2]),  # the points do not say who is better
        ("", {"a": 9, "b": 5, "c": 7}, [1, 1, 1]),  # a draw
        ("ab", {}, [1, 1, 3]),
    ],
)
def test_places_come_from_winners_and_scores(winners: str, scores: dict[str, int], expected: list[int]) -> None:
    assert list(places("abc", winners, scores).values()) == expected


@pytest.mark.parametrize("names", [("ana", "bo"), ("a", "b", "c", "d", "e"), ("x" * LONGEST_ID, "y")])
def test_different_players_in_the_right_number_may_sit_down(names: tuple[str, ...]) -> None:
    assert refuse_players(seated(*names), range(2, 6)) is None


@pytest.mark.parametrize(
    ("names", "seats", "sentence"),
    [
        ((), range(2, 6), "This game takes 2 to 5 players, not 0."),
        (("ana",), range(2, 6), "This game takes 2 to 5 players, not 1."),
        (tuple("abcdef"), range(2, 6), "This game takes 2 to 5 players, not 6."),
        (tuple("abc"), range(2, 3), "This game takes 2 players, not 3."),
        (("ana", ""), range(2, 6), "A player's id must have 1 to 64 printable characters."),
        (("ana", "x" * 65), range(2, 6), "A player's id must have 1 to 64 printable characters."),
        (("ana", "bo", "ana"), range(2, 6), "Two players cannot have the same id."),
        (("", ""), range(2, 6), "A player's id must have 1 to 64 printable characters."),
        (("ana", "\ud800"), range(2, 6), "A player's id must have 1 to 64 printable characters."),
        (("ana", "\x1b[2J"), range(2, 6), "A player's id must have 1 to 64 printable characters."),
        (("ana", "\u202eob"), range(2, 6), "A player's id must have 1 to 64 printable characters."),
    ],
)
def test_other_players_are_refused_in_a_sentence(names: tuple[str, ...], seats: range, sentence: str) -> None:
    assert refuse_players(seated(*names), seats) == Rejection(Refusal.INVALID_PLAYERS, sentence)


def test_a_study_that_knows_nothing_finds_every_state_sound_and_different_and_counts_nothing() -> None:
    study: Study[State, View] = Study()
    state = State()
    assert study.violation(state) is None
    assert study.state_key(state) is state
    assert study.tally(state) == {}
    assert study.standing(state) is None
    assert study.imagine is None


# What may happen, and how it looks on the wire


def test_everything_that_may_happen_is_offered_and_nothing_after_the_end() -> None:
    match = RandomMatch(ecard.game, PLAYERS, Seed("7"), 2_000, Random(7), {})
    lobby, *_, over = match.states
    assert ecard.game.offered(lobby) == [ecard.Start(Seed("7"))]
    assert ecard.game.offered(over) == []
    picking = next(state for state in match.states if state.phase is ecard.Phase.PICKING)
    assert ecard.game.offered(picking) == [
        *ecard.actions(picking, PLAYERS[0]),
        *ecard.actions(picking, PLAYERS[1]),
    ]
    assert ecard.game.next_to_act(picking) == (PLAYERS[0], ecard.actions(picking, PLAYERS[0]))


def test_somebody_must_be_able_to_act() -> None:
    lobby = ecard.new(PLAYERS, ecard.Options(), None)
    assert isinstance(lobby, ecard.State)
    with pytest.raises(AssertionError, match="No player can move in this match of e-card"):
        ecard.game.next_to_act(lobby)


def test_a_game_describes_all_that_goes_over_the_wire() -> None:
    schema = ecard.game.schema()
    assert list(schema) == ["events", "messages", "state", "view", "options"]
    assert ecard.game.view_type is ecard.View
    assert "pendingPicks" in schema["state"]["$defs"]["State"]["properties"]
    assert "seed" not in schema["view"]["$defs"]["View"]["properties"]


@pytest.mark.parametrize("annotations", [{}, {"return": "OnlyForTypeCheckers"}])
def test_a_view_whose_type_is_not_known_may_be_anything(annotations: dict[str, str]) -> None:
    def view(state: Any, player: Any) -> Any:
        return ecard.game.view(state, player)

    view.__annotations__ = annotations
    game = replace(ecard.game, view=view)
    assert_is_any(game)
    assert "type" not in game.schema()["view"]


def test_a_view_that_is_no_function_may_be_anything() -> None:
    assert_is_any(replace(ecard.game, view=partial(ecard.game.view)))


@pytest.mark.parametrize("seed", ["", "x" * 1025, "\ud800", "a\nb"])
@pytest.mark.parametrize("name", names())
def test_no_game_is_opened_with_a_seed_that_could_not_be_written_down(name: str, seed: str) -> None:
    game = find_game(name)
    assert game is not None
    refused = game.new(PLAYERS, game.options(), Seed(seed))
    assert isinstance(refused, Rejection)
    assert refused.code == Refusal.INVALID_SEED


def assert_is_any(game: AnyGame) -> None:
    found: Any = game.view_type
    assert found is Any
