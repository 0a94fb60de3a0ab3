"""Finds installed games, their studies and bots, and other machines, by name through entry points.

It finds the built-in games in the same way as third-party ones: this module keeps no list.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from traceback import extract_tb

from turnstile.kernel import AnyGame, AnyStudy, Game, MachineError, Study
from turnstile.kernel.inspect import AnyInspectable, Inspectable, inspectable_of

GAMES = "turnstile.games"
STUDIES = "turnstile.studies"
BOTS = "turnstile.bots"
MACHINES = "turnstile.machines"

_lent: dict[str, AnyGame] = {}


class PackageFault(Exception):
    """An installed package cannot be used, or it fails. `detail` has its author's traceback, if there is one."""

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(sentence, detail)
        self.sentence = sentence
        self.detail = detail

    def __str__(self) -> str:
        return self.sentence


def names() -> tuple[str, ...]:
    """The names of all installed games, in alphabetical order."""
    return tuple(sorted({*_entries(GAMES), *_lent}))


def find_game(name: str) -> AnyGame | None:
    """The installed game of this name. Raises `PackageFault`."""
    return _lent.get(name) or _installed(name)


@contextmanager
def lent(game: AnyGame) -> Iterator[None]:
    """Within this context, find the game as if it were installed; it may hide an installed game of the same name.

    For tests, and for programs with a game that is not packaged. It affects the whole process.
    """
    before = _lent.get(game.name)
    lend(game)
    try:
        yield
    finally:
        take_back(game.name)
        if before is not None:
            lend(before)


def lend(game: AnyGame) -> None:
    """From now on, find the game as if it were installed, until `take_back`."""
    _lent[game.name] = game


def take_back(name: str) -> None:
    """Find a game no more that was lent."""
    _lent.pop(name, None)


def places_of(name: str, groups: Iterable[str] = (GAMES, STUDIES, BOTS)) -> tuple[str, ...]:
    """Where an installed game, its study and its bots are defined: as `module:attribute`, the game first."""
    found = [_entries(group).get(name) for group in groups]
    return tuple(entry.value for entry in found if entry is not None)


def look_again() -> None:
    """Forget what installed packages provide, because their modules were loaded again."""
    find.cache_clear()
    _installed.cache_clear()


@cache
def _installed(name: str) -> AnyGame | None:
    found = find(GAMES, name)
    if found is None:
        return None
    place = _entries(GAMES)[name].value
    if not isinstance(found, Game):
        raise PackageFault(f"The game {name} cannot be used: {place} is not a Game.")
    if found.name != name:
        raise PackageFault(f"The game {name} cannot be used: the machine of {place} is called {found.name}.")
    return found


def study_of(game: AnyGame) -> AnyStudy:
    """The study of a game; an empty one, if the game has none."""
    found = find(STUDIES, game.name)
    return found if isinstance(found, Study) else Study()


def machine_names() -> tuple[str, ...]:
    """The names of all installed machines: the games first, then the others."""
    return (*names(), *sorted({*_entries(MACHINES)} - {*names()}))


def find_inspectable(name: str) -> AnyInspectable | None:
    """The installed machine of this name, which may be a game's."""
    if game := find_game(name):
        return inspectable_of(game, study_of(game))
    found = find(MACHINES, name)
    return found if isinstance(found, Inspectable) else None


@cache
def find(group: str, name: str) -> object | None:
    """What an installed package provides in `group` under `name`. Raises `PackageFault` if it cannot be imported."""
    entry = _entries(group).get(name)
    try:
        return entry.load() if entry else None
    except Exception as fault:
        where = f"{entry.value} ({group}) cannot be imported" if entry else ""
        raise PackageFault(f"{name} cannot be used: {where}: {_describe(fault)}.") from fault


def _describe(fault: Exception) -> str:
    """An exception on one line, with the line of the file that raised it."""
    if isinstance(fault, SyntaxError):
        return f"{fault.msg} ({fault.filename}, line {fault.lineno})"
    last = extract_tb(fault.__traceback__)[-1]
    has_place = isinstance(fault, MachineError) or "importlib" in last.filename
    place = "" if has_place else f" ({last.filename}, line {last.lineno})"
    return f"{type(fault).__name__}: {fault}".rstrip(".") + place


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}
