"""Libraries that only some users of the lab need: each comes with an extra, and a missing one is named with it."""

from importlib import import_module
from typing import Any


def require(module: str, extra: str, needed_by: str) -> Any:
    """Import a module. Raises `ImportError` with the command that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as fault:
        if fault.name != module.partition(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"{needed_by} needs {module}, which is not installed. Install it with: pip install 'turnstile[{extra}]'",
            name=module,
        ) from None
