"""Calls a Python function for a choice, in a process of its own.

`python -m turnstile.agents.strategies.worker PARENT MODULE FUNCTION`: the function gets what the player knows as a
dictionary, and returns "even", "odd" or a move. Modules are found in the player's working folder and on Python's path.
If the function fails, the trace is printed and the answer says why. With `--check` instead of `PARENT` the function is
only imported.
"""

import ctypes
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from inspect import isasyncgenfunction, iscoroutinefunction
from pathlib import Path
from types import CoroutineType
from typing import Any

PR_SET_PDEATHSIG = 1
CHECK = "--check"
FOUND = "found"
REASON = "!"  # begins an answer that says why there is no choice
LONGEST_REASON = 1000  # characters
ASYNC = "it is an async def: make it a plain def, which may call asyncio.run itself"
IS_ASYNC = (iscoroutinefunction, isasyncgenfunction)


class UnfitFunction(Exception):
    """The function is not a strategy; the sentence tells its author why."""


def end_with(parent: int) -> None:
    """End with the player, even if it is killed. Only Linux can do that; elsewhere the process runs on."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("The player is gone.")


def load_function(module: str, function: str) -> Callable[[dict[str, Any]], Any]:
    """Import the function. Raises what its module raises; `UnfitFunction` if the module exits."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        imported = importlib.import_module(module)
    except SystemExit:
        raise UnfitFunction(
            f"{module} ends the program when it is imported: guard what it does as a program with "
            'if __name__ == "__main__"'
        ) from None
    choose: Callable[[dict[str, Any]], Any] = getattr(imported, function)
    if not callable(choose):
        raise UnfitFunction(f"{module}.{function} is not a function")
    if any(is_async(each) for is_async in IS_ASYNC for each in (choose, type(choose).__call__)):
        raise UnfitFunction(ASYNC)
    return choose


def answer_of(choose: Callable[[dict[str, Any]], Any], known: dict[str, Any]) -> str:
    """The choice of a function in JSON. Raises what the function raises; `UnfitFunction` if it exits."""
    try:
        choice = choose(known)
    except SystemExit:
        raise UnfitFunction("it ends the program (sys.exit) instead of returning a choice") from None
    if isinstance(choice, CoroutineType):
        choice.close()
        raise UnfitFunction(ASYNC)
    try:
        return json.dumps(choice)
    except TypeError:
        raise UnfitFunction(f'it must return "even", "odd" or a move, not {type(choice).__name__}') from None


def reason_of(fault: Exception) -> str:
    """Why there is no choice, on one line."""
    kind = "" if isinstance(fault, UnfitFunction) else f"{type(fault).__name__}: "
    return " ".join(f"{kind}{fault}".split())[:LONGEST_REASON]


def main() -> None:
    parent, module, function = sys.argv[1:]
    answers = sys.stdout
    sys.stdout = sys.stderr  # what the function prints is not its answer
    if parent == CHECK:
        try:
            load_function(module, function)
            answers.write(f"{FOUND}\n")
        except Exception as fault:
            answers.write(f"{reason_of(fault)}\n")
        return
    end_with(int(parent))
    try:
        answer = answer_of(load_function(module, function), json.loads(sys.stdin.readline()))
    except Exception as fault:
        sys.excepthook(type(fault), fault, fault.__traceback__)  # first: after the answer the player does not wait
        sys.stderr.flush()
        answer = f"{REASON}{reason_of(fault)}"
    answers.write(f"{answer}\n")


if __name__ == "__main__":
    main()
