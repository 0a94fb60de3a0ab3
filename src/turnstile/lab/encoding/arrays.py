"""NumPy, imported when the first array is made: ids, names and layouts are for programs without it, too."""

from functools import cache
from typing import Any

from turnstile.lab.extras import require


@cache
def numpy() -> Any:
    """The module `numpy`. Raises `ModuleNotFoundError` with the extra that brings it."""
    return require("numpy", "lab", "An observation or a mask as an array")
