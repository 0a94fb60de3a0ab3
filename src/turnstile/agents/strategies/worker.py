"""Asks one Python function for a choice, in a process of its own.

`python -m turnstile.agents.strategies.worker PARENT MODULE FUNCTION`: the function is given what the player knows, as a
dictionary, and returns "even" or "odd". Modules are found in the folder in which the player was started, and wherever
else Python finds them. If the function fails, the trace is printed and the answer says why. With `--check` instead of
`PARENT` nothing is asked: the answer only says whether the function could be.
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
REASON = "!"  # begins an answer that is no choice, but says why there is none; no choice begins so
LONGEST_REASON = 1000  # characters
ASYNC = "it is an async def: make it a plain def, which may call asyncio.run itself"
IS_ASYNC = (iscoroutinefunction, isasyncgenfunction)


class Unfit(Exception):
    """Why this is no strategy; the sentence is for whoever has written it."""


def end_with(parent: int) -> None:
    """A player that is killed cannot end us any more. Linux does it, where we ask for it; elsewhere we go on alone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("The player is gone.")


def found(module: str, function: str) -> Callable[[dict[str, Any]], Any]:
    """The function. Raises whatever its module does; but one that ends the program is only unfit."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        imported = importlib.import_module(module)
    except SystemExit:
        raise Unfit(
            f"{module} ends the program when it is imported: guard what it does as a program with "
            'if __name__ == "__main__"'
        ) from None
    choose: Callable[[dict[str, Any]], Any] = getattr(imported, function)
    if not callable(choose):
        raise Unfit(f"{module}.{function} is no function")
    if any(is_async(each) for is_async in IS_ASYNC for each in (choose, type(choose).__call__)):
        raise Unfit(ASYNC)
    return choose


def answer_of(choose: Callable[[dict[str, Any]], Any], known: dict[str, Any]) -> str:
    """What a function says, in JSON. Raises whatever it does; but one that ends the program is only unfit."""
    try:
        choice = choose(known)
    except SystemExit:
        raise Unfit("it ends the program (sys.exit) instead of returning a choice") from None
    if isinstance(choice, CoroutineType):
        choice.close()
        raise Unfit(ASYNC)
    try:
        return json.dumps(choice)
    except TypeError:
        raise Unfit(f'it returns "even" or "odd" or a move, and no {type(choice).__name__}') from None


def reason_of(fault: Exception) -> str:
    """Why there is no choice, on one line."""
    kind = "" if isinstance(fault, Unfit) else f"{type(fault).__name__}: "
    return " ".join(f"{kind}{fault}".split())[:LONGEST_REASON]


def main() -> None:
    parent, module, function = sys.argv[1:]
    answers = sys.stdout
    sys.stdout = sys.stderr  # what the function prints is no answer
    if parent == CHECK:
        try:
            found(module, function)
            answers.write(f"{FOUND}\n")
        except Exception as fault:
            answers.write(f"{reason_of(fault)}\n")
        return
    end_with(int(parent))
    try:
        answer = answer_of(found(module, function), json.loads(sys.stdin.readline()))
    except Exception as fault:
        sys.excepthook(type(fault), fault, fault.__traceback__)  # first: who has been answered does not wait for us
        sys.stderr.flush()
        answer = f"{REASON}{reason_of(fault)}"
    answers.write(f"{answer}\n")


if __name__ == "__main__":
    main()
