"""Chance that anyone can check: every draw is a function of the match's seed, a label and a counter.

A match commits to its seed before the first move and reveals it after the last, so that a player can repeat every
draw. No generator object exists: the same (seed, label, counter) always gives the same draw, and no draw depends on
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
"""A non-empty text. A match that is played for real has one of 256 random bits (`new_seed`); tests may say "7"."""

Commitment = NewType("Commitment", str)
"""A fingerprint of a seed that binds whoever shows it and tells nothing about a seed that cannot be guessed."""

LONGEST_SEED = 1024  # characters
KEY_BYTES = 64  # the longest key BLAKE2b takes; a seed from `new_seed` is exactly that long


def new_seed() -> Seed:
    """A seed nobody can guess. For hosts: a machine is given its seed, it never makes one."""
    return Seed(secrets.token_hex(32))


def commit(seed: Seed) -> Commitment:
    """The SHA-256 of the seed's text, in hexadecimal: what `printf %s SEED | sha256sum` prints."""
    return Commitment(sha256(seed.encode()).hexdigest())


def verify(commitment: Commitment, seed: Seed) -> bool:
    """Whether this is the seed that was committed to."""
    return compare_digest(commit(seed).encode(), commitment.encode())


def mix(seed: Seed, entropy: Mapping[PlayerId, str]) -> Seed:
    """The seed of a match to which players added words of their own after they had seen the commitment.

    The server could not foresee their words and they could not foresee the seed, so neither side chose the result.
    Without words the seed stays as it is.
    """
    if not entropy:
        return seed
    return Seed(sha256(encode([seed, sorted(entropy.items())])).hexdigest())


def derive(seed: Seed, label: str, counter: int = 0) -> Seed:
    """A seed of its own for one part of something larger: match 17 of a simulation, say."""
    return Seed(_bytes(seed, f"seed {label}", counter, 0, 32).hex())


def draw(seed: Seed, label: str, counter: int, bound: int) -> int:
    """A number from 0 to `bound` - 1, each exactly as likely as any other."""
    if bound < 1:
        raise ValueError(f"There is nothing to draw below {bound}.")
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
    """The one place where numbers come from, so that a test can put another one in its place.

    As many bits as `bound` needs are taken from the keyed hash; a number that is too large is thrown away and the next
    attempt is made, for taking a remainder would favour the small numbers.
    """
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    for attempt in count():
        number = int.from_bytes(_bytes(seed, label, counter, attempt, size), "big") >> (8 * size - bits)
        if number < bound:
            return number
    raise AssertionError("unreachable")  # pragma: no cover


def _bytes(seed: Seed, label: str, counter: int, attempt: int, size: int) -> bytes:
    """`size` bytes that belong to this draw alone. The three numbers at the end make the hashed text unambiguous."""
    key = seed.encode()
    if len(key) > KEY_BYTES:
        key = blake2b(key).digest()
    blocks = range((size + 63) // 64)
    text = f"{label}:{counter}:{attempt}:"
    return b"".join(blake2b(f"{text}{block}".encode(), key=key).digest() for block in blocks)[:size]
