"""Ask one Python function for a choice, in this process alone: `python -m turnstile.agents.ask PARENT MODULE FUNCTION`.

The function is given what the player knows, as a dictionary, and returns "even" or "odd". Modules are found in the
folder in which the player was started, and wherever else Python finds them.
"""

import ctypes
import importlib
import json
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """A player that is killed cannot end us any more. Linux does it, where we ask for it; elsewhere we go on alone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("The player is gone.")


def main() -> None:
    parent, module, function = sys.argv[1:]
    end_with(int(parent))
    sys.path.insert(0, str(Path.cwd()))
    answers = sys.stdout
    sys.stdout = sys.stderr  # what the function prints is no answer
    choice = getattr(importlib.import_module(module), function)(json.loads(sys.stdin.readline()))
    answers.write(f"{json.dumps(choice)}\n")


if __name__ == "__main__":
    main()
