"""Verifiable randomness: every draw is a function of the match's seed, a label and a counter.

A match commits to its seed before the first move and reveals it after the last, so that a player can repeat every
draw. There is no generator object: the same (seed, label, counter) always gives the same draw, and no draw depends on
another.
"""

import secrets
from collections.abc import Mapping, Sequence
from hashlib import blake2b, sha256
from hmac import compare_digest
from itertools import count
from math import factorial
from typing import NewType, TypeVar

from turnstile.kernel.values import PlayerId, encode

T = TypeVar("T")

Seed = NewType("Seed", str)
"""A non-empty text. A real match has a seed of 256 random bits (`new_seed`); tests may use "7"."""

Commitment = NewType("Commitment", str)
"""A hash of a seed. It proves later that the seed was not changed, and reveals nothing about a random seed."""

LONGEST_SEED = 1024  # characters
KEY_BYTES = 64  # the longest key BLAKE2b takes; a seed from `new_seed` is exactly that long


def new_seed() -> Seed:
    """A seed that cannot be guessed. Only hosts call this: a machine is given its seed and never makes one."""
    return Seed(secrets.token_hex(32))


def commit(seed: Seed) -> Commitment:
    """The SHA-256 of the seed's text, in hexadecimal: what `printf %s SEED | sha256sum` prints."""
    return Commitment(sha256(seed.encode()).hexdigest())


def verify(commitment: Commitment, seed: Seed) -> bool:
    """Whether this is the seed that was committed to."""
    return compare_digest(commit(seed).encode(), commitment.encode())


def mix(seed: Seed, entropy: Mapping[PlayerId, str]) -> Seed:
    """The seed of a match after players have added their own words, having seen the commitment.

    The server could not know their words and they could not know the seed, so neither side chose the result. Without
    words the seed stays as it is.
    """
    if not entropy:
        return seed
    return Seed(sha256(encode([seed, sorted(entropy.items())])).hexdigest())


def derive(seed: Seed, label: str, counter: int = 0) -> Seed:
    """A separate seed for one part of something larger, such as match 17 of a simulation."""
    return Seed(_bytes(seed, f"seed {label}", counter, 0, 32).hex())


def draw(seed: Seed, label: str, counter: int, bound: int) -> int:
    """A number from 0 to `bound` - 1, each equally likely."""
    if bound < 1:
        raise ValueError(f"The bound of a draw must be at least 1, not {bound}.")
    return _number(seed, label, counter, bound)


def shuffle(seed: Seed, label: str, counter: int, items: Sequence[T]) -> tuple[T, ...]:
    """The items in an order drawn from all orders, each equally likely.

    Fisher-Yates from the back; its choices are the digits of one number drawn below n!.
    """
    deck = list(items)
    code = draw(seed, label, counter, factorial(len(deck)))
    for last in range(len(deck) - 1, 0, -1):
        code, chosen = divmod(code, last + 1)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return tuple(deck)


def _number(seed: Seed, label: str, counter: int, bound: int) -> int:
    """The only source of numbers, so a test can replace it.

    It takes as many bits as `bound` needs from the keyed hash, and tries again when the number is too large: taking a
    remainder would favour the small numbers.
    """
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    for attempt in count():
        number = int.from_bytes(_bytes(seed, label, counter, attempt, size), "big") >> (8 * size - bits)
        if number < bound:
            return number
    raise AssertionError("unreachable")  # pragma: no cover


def _bytes(seed: Seed, label: str, counter: int, attempt: int, size: int) -> bytes:
    """`size` bytes for this draw alone. The three numbers at the end make the hashed text unambiguous."""
    key = seed.encode()
    if len(key) > KEY_BYTES:
        key = blake2b(key).digest()
    blocks = range((size + 63) // 64)
    text = f"{label}:{counter}:{attempt}:"
    return b"".join([blake2b(f"{text}{block}".encode(), key=key).digest() for block in blocks])[:size]
