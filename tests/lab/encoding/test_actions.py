"""Fixed action ids: every move of every game has one, it decodes to the same move, and no match changes it."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from tests.lab.situations import COMPANIES, GAMES, situations
from turnstile.games import evenodd
from turnstile.kernel import AnyGame, Machine, Move, PlayerId, Value, encode
from turnstile.kernel.marks import SEATED, Among, Combination
from turnstile.lab.encoding import ActionIds, NoActionIds, action_ids

ANA, BO, CY = PLAYERS = (PlayerId("ana"), PlayerId("bo"), PlayerId("cy"))


def named(company: tuple[AnyGame, int]) -> str:
    return f"{company[0].name} for {company[1]}"


@pytest.mark.parametrize(("game", "count"), COMPANIES, ids=map(named, COMPANIES))
def test_every_move_that_is_offered_has_its_own_id_and_the_id_decodes_to_the_move(game: AnyGame, count: int) -> None:
    ids = action_ids(game)
    for situation in situations(game, count):
        found = [ids.id_of(move, situation.players) for move in situation.moves]
        assert len(set(found)) == len(situation.moves)
        again = [ids.move_of(action, situation.player, situation.players) for action in found]
        assert list(map(encode, again)) == list(map(encode, situation.moves))
        mask = ids.mask(situation.moves, situation.players)
        assert mask.sum() == len(found)
        assert all(mask[action] == 1 for action in found)


@pytest.mark.parametrize(("game", "count"), COMPANIES, ids=map(named, COMPANIES))
def test_an_id_does_not_depend_on_who_plays(game: AnyGame, count: int) -> None:
    ids, once_more = action_ids(game), ActionIds(game)
    for one, other in zip(situations(game, count), situations(game, count, "someone else"), strict=True):
        first = [ids.id_of(move, one.players) for move in one.moves]
        assert first == [once_more.id_of(move, other.players) for move in other.moves]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_id_has_a_name_and_no_two_have_the_same(game: AnyGame) -> None:
    names = action_ids(game).names()
    assert len(names) == len(set(names)) == len(action_ids(game))


def test_ids_are_protocol_for_what_was_trained_with_them() -> None:
    """If this fails, trained policies no longer fit: raise the version of the game."""
    numbered = [(game.name, action_ids(game)) for game in GAMES]
    first_and_last = {name: (len(ids), ids.name_of(0), ids.name_of(len(ids) - 1)) for name, ids in numbered}
    assert first_and_last == {
        "66": (130, "StartGame", "StartNextRound"),
        "e-card": (3, "Pick card=E", "Pick card=S"),
        "even-odd": (2, "CHOOSE_PARITY_RESPONSE parityChoice=even", "CHOOSE_PARITY_RESPONSE parityChoice=odd"),
        "up-down": (79, "START_GAME", "PLAY_CARD card=spades A"),
    }


def test_another_seat_is_counted_from_the_player_who_moves() -> None:
    ids = action_ids(next(game for game in GAMES if game.name == "66"))
    peeks = [move for move in ids.names() if move.startswith("PeekAnothersCard")]
    next_players_card = ids.names().index(peeks[4 + 2])
    assert ids.name_of(next_players_card) == "PeekAnothersCard anotherPlayerIndex=+1 cardIndex=2"
    seats = [ids.move_of(next_players_card, player, PLAYERS).another_player_index for player in PLAYERS]  # type: ignore[attr-defined]
    assert seats == [1, 2, 0]


# any types


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Give(Value, frozen=True):
    to: PlayerId
    hand: Literal["left", "right"]


class Paint(Move, frozen=True):
    colour: Colour | None
    where: tuple[Annotated[int, Meta(ge=1, lt=3)], bool]
    gift: Give


class Choose(Move, frozen=True):
    which: Annotated[tuple[int, ...], Combination((3, 5, 9), fewest=2)]
    seat: Annotated[int, SEATED]


class Say(Move, frozen=True):
    words: Annotated[str, Among(("yes", "no"))]


class Shout(Move, frozen=True):
    words: str


class Count(Move, frozen=True):
    numbers: tuple[Annotated[int, Among(range(1000))], Annotated[int, Among(range(1000))]]


def game_with(*moves: type[Move]) -> AnyGame:
    machine: Machine[Any] = Machine(
        "toy",
        evenodd.Phase,
        start=evenodd.Phase.IDLE,
        ends=(),
        state=evenodd.State,
        messages=evenodd.MatchStarted,
        codes=evenodd.Code,
    )
    for move in moves:
        machine.on(evenodd.Phase.IDLE, move, to=evenodd.Phase.IDLE)(lambda state, event: state)
    return replace(evenodd.game, machine=machine, seats=range(2, 4))


@pytest.mark.parametrize(
    ("kind", "count", "move", "name"),
    [
        (Paint, 3 * 4 * 6, Paint(BO, None, (2, True), Give(CY, "left")), "Paint colour=null where=2,true gift=+1,left"),
        (Choose, 4 * 3, Choose(CY, (3, 9), 1), "Choose which=3,9 seat=+2"),
        (Say, 2, Say(ANA, "no"), "Say words=no"),
    ],
)
def test_types_with_finitely_many_values_are_numbered(kind: type[Move], count: int, move: Move, name: str) -> None:
    ids = ActionIds(game_with(kind))
    assert len(ids) == count
    action = ids.id_of(move, PLAYERS)
    assert ids.name_of(action) == name
    assert [ids.id_of(ids.move_of(each, BO, PLAYERS), PLAYERS) for each in range(count)] == list(range(count))
    assert ids.move_of(action, move.player, PLAYERS) == move


def test_a_field_that_could_be_anything_is_refused_with_what_its_author_can_do() -> None:
    with pytest.raises(NoActionIds) as refused:
        ActionIds(game_with(Say, Shout))
    assert str(refused.value) == (
        "toy has no action ids: of the move Shout, the field words (str) could be anything, because the type str has "
        "no finite list of values. Mark the field with the values that the game offers, such as "
        "Annotated[int, Among(range(4))] from turnstile.kernel.marks."
    )


class Stake(Move, frozen=True):
    chips: Annotated[int, Meta(ge=0, le=10**12)]


class Lottery(Move, frozen=True):
    numbers: Annotated[tuple[int, ...], Combination(range(49), fewest=6)]


class Guess(Move, frozen=True):
    number: Annotated[int, Among(range(10**12))]


@pytest.mark.parametrize("kind", [Count, Stake, Lottery, Guess])
def test_too_many_moves_are_refused_before_they_are_listed(kind: type[Move]) -> None:
    with pytest.raises(NoActionIds, match="more than 100,000"):
        ActionIds(game_with(kind))


def test_an_id_that_does_not_exist_is_refused() -> None:
    ids = ActionIds(game_with(Say))
    for action in (-1, 2):
        with pytest.raises(IndexError):
            ids.move_of(action, ANA, PLAYERS)
