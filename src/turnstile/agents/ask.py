"""Ask one Python function for a choice, in this process alone: `python -m turnstile.agents.ask MODULE FUNCTION`.

The function is given what the player knows, as a dictionary, and returns "even" or "odd". Modules are found in the
folder in which the player was started, and wherever else Python finds them.
"""

import importlib
import json
import sys
from pathlib import Path


def main() -> None:
    module, function = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))
    answers = sys.stdout
    sys.stdout = sys.stderr  # what the function prints is no answer
    choice = getattr(importlib.import_module(module), function)(json.loads(sys.stdin.readline()))
    answers.write(f"{json.dumps(choice)}\n")


if __name__ == "__main__":
    main()
