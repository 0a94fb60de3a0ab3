"""What a player and a referee have in common when they ask for a place: how often they ask, and under which names."""

from turnstile.kernel.chance import Seed, draw
from turnstile.league.protocol.words import BACKOFF_SECONDS, MAX_RETRIES

DUPLICATE_NAME = "Duplicate name"
"""Why a manager turns somebody down who then tries another name."""
NOT_REGISTERED = "Failed to register with League Manager"
RETRY, EXHAUSTED = "retries are left", "exhausted"
SUFFIXES = 10_000


def attempt(names_tried: int, retry_count: int) -> int:
    """Which request is the latest; every name begins a new count."""
    return names_tried * (MAX_RETRIES + 1) + retry_count


def pause(retry_count: int) -> float:
    """Seconds before the next attempt, twice as many each time."""
    return BACKOFF_SECONDS * (1 << retry_count)


def with_suffix(name: str, seed: Seed, number: int) -> str:
    """The name with another suffix. `number` counts the suffixes that were drawn from this seed."""
    return f"{name}-{draw(seed, 'suffix', number, SUFFIXES):04}"


def is_refusal(failure: str | None) -> bool:
    """Whether registration failed because the manager rejected it.

    Without an answer nobody knows whether the manager has accepted the last request: the same name is asked for again.
    """
    return failure not in (None, NOT_REGISTERED)
