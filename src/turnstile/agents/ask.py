"""Ask one Python function for a choice, in this process alone: `python -m turnstile.agents.ask PARENT MODULE FUNCTION`.

The function is given what the player knows, as a dictionary, and returns "even" or "odd". Modules are found in the
folder in which the player was started, and wherever else Python finds them. With `--check` instead of `PARENT` nothing
is asked: it only says why the function could not be.
"""

import ctypes
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
CHECK = "--check"


def end_with(parent: int) -> None:
    """A player that is killed cannot end us any more. Linux does it, where we ask for it; elsewhere we go on alone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("The player is gone.")


def found(module: str, function: str) -> Callable[[dict[str, Any]], Any]:
    """The function. Raises whatever its module does."""
    sys.path.insert(0, str(Path.cwd()))
    choose: Callable[[dict[str, Any]], Any] = getattr(importlib.import_module(module), function)
    if not callable(choose):
        raise TypeError(f"{module}.{function} is no function")
    return choose


def main() -> None:
    parent, module, function = sys.argv[1:]
    answers = sys.stdout
    sys.stdout = sys.stderr  # what the function prints is no answer
    if parent == CHECK:
        try:
            found(module, function)
        except Exception as fault:
            answers.write(f"{type(fault).__name__}: {fault}\n")
        return
    end_with(int(parent))
    choice = found(module, function)(json.loads(sys.stdin.readline()))
    answers.write(f"{json.dumps(choice)}\n")


if __name__ == "__main__":
    main()
