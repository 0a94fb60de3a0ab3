"""A match of any installed game, as a referee has it on its board: who may do what, what follows, how it ends.

The board keeps the match as its game writes it. The dealer's part is done by the board itself, and so is a move that
is a player's only one: players are asked for decisions, and for nothing else. They are given views and options, never
the match, which holds the seed.
"""

from functools import lru_cache
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.game import AnyGame, Outcome, Players
from turnstile.kernel.machine import Machine, Refusal, Rejection
from turnstile.kernel.values import Event, Move, PlayerId, Timeout, encode, wire_name
from turnstile.league.protocol.values import option_meant
from turnstile.league.protocol.words import LeagueValue
from turnstile.registry import find_game, study_of

MOST_TOLD = 32_768  # bytes of moves that fit into a message beside everything else
MOST_FORCED = 1_000  # moves without an alternative in a row, and as many deals
ANY_KIND = "any"


class Board(LeagueValue, frozen=True, kw_only=True):
    """A match that is being played, and every move of its players so far, as its game writes them."""

    game: str
    version: int
    match: Raw
    moves: tuple[Raw, ...] | None = ()
    """Missing once there are more than a message can tell."""


# start


def open_board(name: str, players: Players, seed: Seed) -> Board | Rejection:
    """A match of the game of this name, with its usual options, up to the first decision."""
    game = find_game(name)
    if game is None:
        return Rejection(Refusal.INVALID_OPTIONS, f"There is no game {name} here.")
    if len(players) not in game.seats:
        return Rejection(Refusal.INVALID_PLAYERS, f"{game.title} is not a game for {len(players)}.")
    if any(issubclass(event, Timeout) for event in game.machine.events):
        return Rejection(Refusal.INVALID_OPTIONS, f"{game.title} has timers of its own, which a referee does not run.")
    match = game.new(players, game.options(), seed)
    if isinstance(match, Rejection):
        return match
    board = _settle(game, Board(game=name, version=game.version, match=Raw(b"")), match, ())
    if outcome_of(board) is not None:
        return Rejection(Refusal.INVALID_OPTIONS, f"This match of {game.title} leaves nothing to decide.")
    return board


# play


def game_of(board: Board) -> AnyGame:
    game = find_game(board.game)
    assert game is not None, f"a board of {board.game} was opened"
    return game


def options_of(board: Board, player: PlayerId) -> tuple[Raw, ...]:
    """Every move that is legal for this player now; nothing once the match is over."""
    return tuple(_json_of(move) for move in _actions(board, player))


def kind_of(board: Board, player: PlayerId) -> str:
    """What kind of move is wanted of this player."""
    kinds = {wire_name(type(move)) for move in _actions(board, player)}
    return kinds.pop() if len(kinds) == 1 else ANY_KIND


def view_of(board: Board, player: PlayerId) -> Raw:
    """The match as this player sees it."""
    return Raw(encode(game_of(board).view(match_of(board), player)))


def apply_move(board: Board, player: PlayerId, choice: Raw) -> Board | None:
    """The board after this move, up to the next decision or the end; `None` if the move is not legal."""
    game, match = game_of(board), match_of(board)
    move = _legal_move(game, match, (player,), choice)
    if move is None:
        return None
    return _settle(game, board, _after(game, match, move), (_json_of(move),))


def outcome_of(board: Board) -> Outcome | None:
    return game_of(board).outcome(match_of(board))


def match_of(board: Board) -> Any:
    """The match itself, which no player may see."""
    return _read(game_of(board).machine, bytes(board.match))


@lru_cache(maxsize=1024)  # a match is asked several things before it goes on
def _read(machine: Machine[Any], data: bytes) -> Any:
    match = machine.read_state(data)
    assert not isinstance(match, Rejection), match
    return match


def _settle(game: AnyGame, board: Board, match: Any, moves: tuple[Raw, ...]) -> Board:
    """The board after all deals and forced moves, at the next decision or the end."""
    made = list(moves)
    for _ in range(MOST_FORCED):
        match = _deal(game, match)
        forced = None if game.outcome(match) else _forced(game, match)
        if forced is None:
            return replace(board, match=Raw(encode(match)), moves=_told(board.moves, made))
        made.append(_json_of(forced))
        match = _after(game, match, forced)
    raise AssertionError(f"{game.name} goes on and on without a decision.")


def _deal(game: AnyGame, match: Any) -> Any:
    """The match when the dealer has done its part."""
    for _ in range(MOST_FORCED):
        due = None if game.outcome(match) else game.dealer(match)
        if due is None:
            return match
        match = _after(game, match, due)
    raise AssertionError(f"The dealer of {game.name} never rests.")


def _forced(game: AnyGame, match: Any) -> Move | None:
    """A move without an alternative, of the first player who has one. At least one player must have a move."""
    game.next_to_act(match)
    alone = (moves[0] for player in game.players(match) if len(moves := game.actions(match, player)) == 1)
    return next(alone, None)


def _told(before: tuple[Raw, ...] | None, made: list[Raw]) -> tuple[Raw, ...] | None:
    moves = None if before is None else (*before, *made)
    return None if moves is None or sum(len(bytes(move)) + 1 for move in moves) > MOST_TOLD else moves


def _after(game: AnyGame, match: Any, event: Event) -> Any:
    after = game.machine.apply(match, event)
    assert not isinstance(after, Rejection), f"{game.name} offers what it refuses: {after}"
    return after


def _actions(board: Board, player: PlayerId) -> tuple[Move, ...]:
    return () if outcome_of(board) else game_of(board).actions(match_of(board), player)


def _legal_move(game: AnyGame, match: Any, players: Players, choice: Raw) -> Move | None:
    """The legal move of one of these players that is written here."""
    legal = [move for player in players for move in game.actions(match, player)]
    number = option_meant([_json_of(move) for move in legal], choice)
    return None if number is None else legal[number]


def _json_of(move: Event) -> Raw:
    return Raw(encode(move))


# afterwards


def replay_outcome(name: str, players: Players, seed: Seed, moves: tuple[Raw, ...]) -> Outcome | None:
    """What comes of these moves when the match is played again; `None` where they are none, or do not end it."""
    game, match = find_game(name), _replay(name, players, seed, tuple(map(bytes, moves)))
    return None if game is None or match is None else game.outcome(match)


@lru_cache(maxsize=1024)  # a referee is looked at more often than it is moved
def _replay(name: str, players: Players, seed: Seed, moves: tuple[bytes, ...]) -> Any:
    """The match after these moves. The dealer does its part whenever it has one; otherwise the next move happens."""
    game = find_game(name)
    match = None if game is None else game.new(players, game.options(), seed)
    if game is None or isinstance(match, Rejection):
        return None
    match = _deal(game, match)
    for choice in moves:
        move = None if game.outcome(match) else _legal_move(game, match, players, Raw(choice))
        if move is None:
            return None
        match = _deal(game, _after(game, match, move))
    return match


def fault_of(board: Board, players: Players, seed: Seed) -> str | None:
    """What is wrong with a board; `None` for one that can be reached, by the version of the game that is here."""
    game = find_game(board.game)
    if game is None or game.version != board.version:
        return "The match is of a game, or of a version of it, that is not here."
    match = game.machine.read_state(bytes(board.match))
    if isinstance(match, Rejection):
        return match.sentence
    if game.players(match) != players or game.outcome(match):
        return "The match is one of others, or it is over."
    if board.moves is None:
        return study_of(game).violation(match)
    again = _replay(board.game, players, seed, tuple(map(bytes, board.moves)))
    return None if match == again else "The match is not what its moves lead to."
