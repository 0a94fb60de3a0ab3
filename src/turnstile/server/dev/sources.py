"""Where a game that is being written comes from: which modules it has, when their files change, how it is loaded again.

A game is loaded as a whole: all its modules are imported again, or all stay as they were.
"""

import importlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from turnstile.kernel.chance import Seed
from turnstile.kernel.game import AnyGame, Game
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import PlayerId
from turnstile.registry import names, places_of

OURS = "turnstile"
INSTALLED = {"site-packages", "dist-packages"}
USUAL_NAME = "game"

Stamps = dict[Path, tuple[int, int]]
"""When each file was changed last, and its size."""


class CannotLoad(Exception):
    """A game cannot be loaded. The sentence says which file is wrong, and where."""


@dataclass(frozen=True, slots=True)
class Source:
    """A game by the modules that define it; the first `module:attribute` is the game itself."""

    name: str
    """As the author called it: a file, or the name of an installed game."""
    places: tuple[str, ...]
    is_file: bool

    @property
    def module(self) -> str:
        return self.places[0].partition(":")[0]

    @property
    def attribute(self) -> str:
        return self.places[0].partition(":")[2]

    def modules(self) -> dict[str, ModuleType]:
        """The modules that are loaded with the game: its packages, and plain modules in the same folder."""
        roots = {place.partition(":")[0].partition(".")[0] for place in self.places}
        beside = {folder for root in roots if (folder := _own_folder(sys.modules.get(root)))}
        return {
            name: module
            for name, module in sys.modules.copy().items()
            if name.partition(".")[0] in roots or (name != "__main__" and _own_folder(module) in beside)
        }

    def files(self) -> set[Path]:
        """The files of its modules."""
        return {Path(file) for module in self.modules().values() if (file := _file_of(module))}

    def all_files(self) -> set[Path]:
        """The same, and the other modules in their folders: one that could not be loaded may be among them."""
        files = self.files()
        folders = {file.parent for file in files if file.parent.name not in INSTALLED}
        return files | {file for folder in folders for file in folder.glob("*.py")}

    def load(self) -> AnyGame:
        """The game, with its modules loaded again. Raises `CannotLoad`: then the old modules stay."""
        before = self.modules()
        for name in before:
            del sys.modules[name]
        importlib.invalidate_caches()
        try:
            with _without_bytecode():
                return self._import()
        except (Exception, SystemExit) as fault:
            for name in self.modules():
                del sys.modules[name]
            sys.modules.update(before)
            raise CannotLoad(f"{self.name} cannot be loaded: {explain(fault, self.all_files())}") from fault

    def _import(self) -> AnyGame:
        found = getattr(importlib.import_module(self.module), self.attribute, None)
        if not isinstance(found, Game):
            raise TypeError(f"{self.attribute} is not a Game; name it as FILE.py:NAME")
        for place in self.places[1:]:
            importlib.import_module(place.partition(":")[0])
        try_out(found)
        return found


def try_out(game: AnyGame) -> None:
    """Raise what a first match and the pages about the game would raise."""
    options = game.read_options(b"{}")
    game.schema()
    if isinstance(options, Rejection):
        return  # it has options that must be given
    players = tuple(PlayerId(f"player {seat + 1}") for seat in range(game.seats[0]))
    match = game.new(players, options, Seed("any"))
    if not isinstance(match, Rejection):
        for eyes in (None, *players):
            game.view(match, eyes)
        game.dealer(match)
        game.offered(match)


def stamps_of(files: Iterable[Path]) -> Stamps:
    """What a change of these files would change. A file that is not there has no stamp."""
    found = Stamps()
    for file in files:
        try:
            about = file.stat()
        except OSError:
            continue
        found[file] = (about.st_mtime_ns, about.st_size)
    return found


# which games


def file_source(text: str) -> Source:
    """The game in a file: `FILE.py`, or `FILE.py:NAME`. Its folder is where its imports are looked for first.

    Raises `CannotLoad`.
    """
    written, _, attribute = text.partition(":")
    path = Path(written).resolve()
    if path.suffix != ".py" or not path.is_file():
        raise CannotLoad(f"There is no file {written} with a game; give one as FILE.py or FILE.py:NAME.")
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").exists():
        folder, parts = folder.parent, [folder.name, *parts]
    module = ".".join(parts)
    if ((taken := sys.modules.get(module)) and _file_of(taken) != str(path)) or module in sys.stdlib_module_names:
        raise CannotLoad(f"A module named {module} exists already; give {path.name} another name.")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return Source(written, (f"{module}:{attribute or USUAL_NAME}",), is_file=True)


def installed_sources() -> list[Source]:
    """The installed games that did not come with this program."""
    found = [Source(name, places, is_file=False) for name in names() if (places := places_of(name))]
    return [source for source in found if source.module.partition(".")[0] != OURS]


# modules and files


def _file_of(module: ModuleType | None) -> str | None:
    return getattr(module, "__file__", None)


def _own_folder(module: ModuleType | None) -> Path | None:
    """The folder of a plain module that belongs to a project, and not to a package or to all installed packages."""
    file = _file_of(module)
    if module is None or file is None or "." in module.__name__ or hasattr(module, "__path__"):
        return None
    folder = Path(file).parent
    is_library = folder.name in INSTALLED or folder == Path(importlib.__file__).parent.parent
    return None if is_library else folder


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """Import from the sources: a cached module counts as fresh when it was changed twice within a second."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def explain(fault: BaseException, files: Iterable[Path]) -> str:
    """A fault in one sentence, with the last line of the game's own files that led to it."""
    if isinstance(fault, SyntaxError) and fault.filename:
        return f"{Path(fault.filename).name}, line {fault.lineno}: {fault.msg}."
    own = {str(file) for file in files}
    frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if frame.filename in own]
    place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: " if frames else ""
    words = " ".join(str(fault).split())
    return f"{place}{type(fault).__name__}: {words}".rstrip(".: ") + "."
