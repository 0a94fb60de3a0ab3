"""A Python function as a bot: `module:function` or `path/to/file.py:function`."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import Parameter, isasyncgenfunction, iscoroutinefunction, signature
from pathlib import Path
from random import Random
from traceback import FrameSummary, extract_tb, format_exception_only, format_list
from types import ModuleType
from typing import Any

from turnstile.kernel import AnyGame, Move, Outcome
from turnstile.lab.own_bots.answers import read_action
from turnstile.lab.own_bots.failures import BotFailed, InvalidBot
from turnstile.lab.own_bots.kinds import Kind, OwnBot

SHAPE = "a bot is a function of (view, actions) or (view, actions, rng)"
POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class FunctionBot:
    """Calls the function of an author. It gets a view and actions, and a random generator if it takes one."""

    def __init__(self, name: str, choose: Callable[..., object], arguments: int) -> None:
        self.name = name
        self._choose = choose
        self._arguments = arguments

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        try:
            said = self._choose(*(view, actions, rng)[: self._arguments])
        except (Exception, SystemExit) as fault:
            frames = extract_tb(fault.__traceback__)[1:]  # without this one
            raise BotFailed(f"{self.name} has failed: {_describe(fault, frames)}.", _trace(fault, frames)) from None
        return read_action(self.name, said, actions)

    def end_match(self, view: Any, outcome: Outcome) -> None:
        """A function is not told."""

    def close(self) -> None:
        """A function keeps nothing open."""


def load_function(game: AnyGame, text: str, seconds: float) -> OwnBot:
    """The bot of `module:function`. Raises `InvalidBot`."""
    place, _, name = text.rpartition(":")
    if not place or not name:
        raise InvalidBot(f"{text!r} is incomplete: name a function, as in mine:choose or path/to/mine.py:choose.")
    module = _load_module(text, place)
    choose = getattr(module, name, None)
    if choose is None:
        raise InvalidBot(f"{text} cannot be used: {place} has no function {name!r}.")
    return FunctionBot(text, choose, _count_arguments(text, choose))


def _load_module(text: str, place: str) -> ModuleType:
    """Import a module or a file. An import may do anything."""
    try:
        return _load_file(Path(place)) if place.endswith(".py") else _find_module(place)
    except FileNotFoundError as fault:
        raise InvalidBot(f"{text} cannot be used: there is no file {fault.filename or place}.") from None
    except ModuleNotFoundError as fault:
        if fault.name is None or not f"{place}.".startswith(f"{fault.name}."):
            raise InvalidBot(f"{text} cannot be used: it needs {fault.name}, which is not installed.") from None
        where = "in this folder or on Python's path"
        raise InvalidBot(f"{text} cannot be used: there is no module {fault.name!r} {where}.") from None
    except SystemExit:
        why = 'it ends the program when it is imported; guard that with if __name__ == "__main__"'
        raise InvalidBot(f"{text} cannot be used: {why}.") from None
    except Exception as fault:
        frames = [frame for frame in extract_tb(fault.__traceback__) if "importlib" not in frame.filename][2:]
        raise InvalidBot(f"{text} cannot be imported: {_describe(fault, frames)}.") from None


def _find_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    return import_module(name)


def _load_file(path: Path) -> ModuleType:
    """The module in a file, executed once. It may import modules beside it."""
    path = path.resolve()
    name = f"own_bot_{path.stem}"
    if (loaded := sys.modules.get(name)) is not None and loaded.__file__ == str(path):
        return loaded
    spec = spec_from_file_location(name, path)
    assert spec is not None, "the name of the file ends with .py"
    assert spec.loader is not None
    sys.path.insert(0, str(path.parent))
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _count_arguments(text: str, choose: Callable[..., object]) -> int:
    """How many of view, actions and generator the function takes."""
    if not callable(choose):
        raise InvalidBot(f"{text} cannot be used: it is not a function; {SHAPE}.")
    if iscoroutinefunction(choose) or isasyncgenfunction(choose):
        raise InvalidBot(f"{text} cannot be used: it is an async def; {SHAPE}.")
    try:
        parameters = list(signature(choose).parameters.values())
    except ValueError:  # a built-in function without a signature
        raise InvalidBot(f"{text} cannot be used: it has no signature; {SHAPE}.") from None
    if any(each.kind is Parameter.VAR_POSITIONAL for each in parameters):
        return 3
    positional = [each for each in parameters if each.kind in POSITIONAL]
    needed = sum(each.default is Parameter.empty for each in positional)
    needs_names = any(each.kind is Parameter.KEYWORD_ONLY and each.default is Parameter.empty for each in parameters)
    count = min(3, len(positional))
    if count < 2 or needed > 3 or needs_names:
        raise InvalidBot(f"{text} cannot be used: it takes {signature(choose)}; {SHAPE}.")
    return count


# the author's own lines


def _describe(fault: BaseException, frames: Sequence[FrameSummary]) -> str:
    """The error, and the author's line that raised it or called what raised it."""
    if isinstance(fault, SyntaxError):
        return f"SyntaxError: {fault.msg} ({Path(fault.filename or '').name}, line {fault.lineno})"
    what = " ".join("".join(format_exception_only(fault)).split())
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f"{what} ({Path(own[-1].filename).name}, line {own[-1].lineno}: {own[-1].line})" if own else what


def _trace(fault: BaseException, frames: Sequence[FrameSummary]) -> str:
    return "".join([*format_list(list(frames)), *format_exception_only(fault)]) if frames else ""


kind = Kind(load_function)
