"""Chance can be checked by hand and favours nobody: every draw is repeated here with nothing but hashlib."""

from collections import Counter
from hashlib import blake2b, sha256
from itertools import pairwise, permutations
from math import factorial

import pytest

from turnstile.kernel import Commitment, PlayerId, Seed
from turnstile.kernel.chance import commit, derive, draw, mix, new_seed, shuffle, verify

SEED = Seed("7")
ANA, BO = PlayerId("ana"), PlayerId("bo")


def hashed(seed: str, text: str) -> bytes:
    """A block of the keyed hash, from the documentation of chance alone."""
    key = seed.encode()
    return blake2b(text.encode(), key=key if len(key) <= 64 else blake2b(key).digest()).digest()


def attempts(seed: str, label: str, counter: int, bits: int) -> list[int]:
    """The first hundred numbers of so many bits that a draw may try, for up to 512 bits."""
    size = (bits + 7) // 8
    blocks = [hashed(seed, f"{label}:{counter}:{attempt}:0")[:size] for attempt in range(100)]
    return [int.from_bytes(block, "big") >> (8 * size - bits) for block in blocks]


# Seeds and commitments


def test_a_new_seed_is_256_random_bits_in_hexadecimal() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(len(bytes.fromhex(seed)) == 32 for seed in seeds)


def test_a_commitment_is_the_plain_sha_256_of_the_seed() -> None:
    assert commit(Seed("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4
    assert commit(Seed("žeton")) == sha256("žeton".encode()).hexdigest()


def test_the_seed_that_was_committed_to_verifies_and_no_other() -> None:
    assert verify(commit(SEED), SEED)
    assert not verify(commit(SEED), Seed("8"))
    assert not verify(Commitment(commit(SEED).upper()), SEED)
    assert not verify(Commitment(""), SEED)
    assert not verify(Commitment("nič"), SEED)


def test_without_words_of_the_players_the_seed_stays_as_it_is() -> None:
    assert mix(SEED, {}) == SEED


def test_words_of_the_players_are_hashed_into_the_seed_in_the_order_of_their_ids() -> None:
    expected = sha256(b'["7",[["ana","moon"],["bo",""]]]').hexdigest()
    assert mix(SEED, {ANA: "moon", BO: ""}) == mix(SEED, {BO: "", ANA: "moon"}) == expected


def test_each_word_and_who_said_it_makes_another_seed() -> None:
    said: list[dict[PlayerId, str]] = [{}, {ANA: ""}, {ANA: "x"}, {BO: "x"}, {ANA: "x", BO: "x"}, {ANA: "xx"}]
    assert len({mix(SEED, words) for words in said}) == len(said)


def test_a_derived_seed_is_half_a_block_of_the_keyed_hash() -> None:
    assert derive(SEED, "match", 17) == hashed("7", "seed match:17:0:0")[:32].hex()
    assert derive(SEED, "match") == derive(SEED, "match", 0)


def test_derived_seeds_differ_by_seed_label_and_counter() -> None:
    derived = {derive(seed, label, n) for seed in (SEED, Seed("8")) for label in ("match", "bot") for n in range(50)}
    assert len(derived) == 200


# Draws


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 10, 52, 256, 257, 1000, 2**64, 2**100 + 1])
def test_a_draw_takes_as_many_bits_as_it_needs_and_the_first_attempt_that_is_small_enough(bound: int) -> None:
    taken = Counter[int]()
    for counter in range(200):
        tried = attempts("7", "deal", counter, (bound - 1).bit_length())
        first = next(number for number, value in enumerate(tried) if value < bound)
        assert draw(SEED, "deal", counter, bound) == tried[first]
        taken[first] += 1
    if bound & (bound - 1) == 0:
        assert set(taken) == {0}, "no number of a power of two is thrown away"
    elif bound in (5, 10, 257, 2**100 + 1):
        assert max(taken) >= 2, "some draws needed a third attempt"


def test_a_draw_of_more_than_512_bits_goes_on_in_the_next_block() -> None:
    bound = 2**600
    joined = hashed("7", "deal:0:0:0") + hashed("7", "deal:0:0:1")
    assert draw(SEED, "deal", 0, bound) == int.from_bytes(joined[:75], "big")


def test_known_draws() -> None:
    """Written down once: who changes these breaks every record there is."""
    assert [draw(SEED, "deal", counter, 52) for counter in range(8)] == [44, 49, 7, 48, 11, 17, 50, 31]
    assert shuffle(SEED, "deal", 0, range(10)) == (4, 9, 1, 3, 0, 2, 8, 5, 6, 7)


def test_of_one_thing_that_thing_is_drawn() -> None:
    assert {draw(SEED, "deal", counter, 1) for counter in range(100)} == {0}


@pytest.mark.parametrize("bound", [0, -1, -52])
def test_below_one_there_is_nothing_to_draw(bound: int) -> None:
    with pytest.raises(ValueError, match=f"The bound of a draw must be at least 1, not {bound}\\."):
        draw(SEED, "deal", 0, bound)


def test_the_same_draw_twice_is_the_same() -> None:
    assert draw(SEED, "deal", 3, 10**30) == draw(SEED, "deal", 3, 10**30)


def test_draws_with_another_seed_label_or_counter_are_unrelated() -> None:
    seeds, labels, counters = ("7", "8"), ("deal", "dea", "deal:1", "deal:1:0"), range(12)
    drawn = [draw(Seed(seed), label, counter, 2**64) for seed in seeds for label in labels for counter in counters]
    assert len(set(drawn)) == len(drawn) == 96


@pytest.mark.parametrize("length", [63, 64, 65, 1024])
def test_a_seed_of_any_length_counts_to_its_last_character(length: int) -> None:
    long, other = Seed("x" * length), Seed("x" * (length - 1) + "y")
    assert draw(long, "deal", 0, 2**64) == attempts(long, "deal", 0, 64)[0]
    assert draw(long, "deal", 0, 2**64) != draw(other, "deal", 0, 2**64)


# Shuffles


def test_a_shuffle_of_nothing_or_of_one_thing_changes_nothing() -> None:
    assert shuffle(SEED, "deal", 0, []) == ()
    assert shuffle(SEED, "deal", 0, ["A"]) == ("A",)


def test_a_shuffled_deck_has_the_same_52_cards_in_another_order() -> None:
    deck = shuffle(SEED, "deal", 0, range(52))
    assert sorted(deck) == list(range(52))
    assert deck != tuple(range(52))
    assert deck == shuffle(SEED, "deal", 0, range(52))
    assert len({shuffle(SEED, "deal", counter, range(52)) for counter in range(100)}) == 100


def test_equal_cards_stay_as_many_as_they_were() -> None:
    assert Counter(shuffle(SEED, "deal", 0, "ECCCC")) == Counter("ECCCC")


@pytest.mark.parametrize("size", [2, 4, 13, 52])
def test_a_shuffle_is_fisher_yates_by_the_digits_of_one_number_below_the_factorial(size: int) -> None:
    for counter in range(20):
        code = draw(SEED, "deal", counter, factorial(size))
        deck = list(range(size))
        for last in reversed(range(1, size)):
            chosen = code % (last + 1)
            code //= last + 1
            deck[last], deck[chosen] = deck[chosen], deck[last]
        assert code == 0
        assert shuffle(SEED, "deal", counter, range(size)) == tuple(deck)


def test_a_shuffle_leaves_the_deck_it_was_given_as_it_was() -> None:
    deck = list(range(52))
    shuffle(SEED, "deal", 0, deck)
    assert deck == list(range(52))


# Nobody is favoured: a fair source stays below these values in 999 of 1000 runs, and the seeds are fixed.

CRITICAL = {1: 10.83, 2: 13.82, 4: 18.47, 5: 20.52, 9: 27.88, 23: 49.73, 51: 87.97, 2601: 2829.6}


def chi_square(seen: Counter[object], kinds: int) -> float:
    expected = seen.total() / kinds
    return sum((seen[kind] - expected) ** 2 / expected for kind in seen) + expected * (kinds - len(seen))


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 10, 52])
@pytest.mark.parametrize("seed", ["7", "a seed", "0" * 64])
def test_each_number_is_drawn_equally_often(seed: str, bound: int) -> None:
    seen = Counter[object](draw(Seed(seed), "fair", counter, bound) for counter in range(200 * bound))
    assert chi_square(seen, bound) < CRITICAL[bound - 1]


@pytest.mark.parametrize("bound", [2, 6])
def test_draws_are_as_fair_over_many_seeds(bound: int) -> None:
    seen = Counter[object](draw(Seed(str(number)), "fair", 0, bound) for number in range(400 * bound))
    assert chi_square(seen, bound) < CRITICAL[bound - 1]


@pytest.mark.parametrize("seed", ["7", "a seed"])
def test_a_draw_tells_nothing_about_the_next(seed: str) -> None:
    drawn = [draw(Seed(seed), "fair", counter, 5) for counter in range(4_801)]
    seen = Counter[object]((one - other) % 5 for one, other in pairwise(drawn))
    assert chi_square(seen, 5) < CRITICAL[4]


@pytest.mark.parametrize("seed", ["7", "a seed", "0" * 64])
def test_each_of_the_24_orders_of_four_cards_is_equally_likely(seed: str) -> None:
    seen = Counter[object](shuffle(Seed(seed), "fair", counter, "ABCD") for counter in range(4_800))
    assert set(seen) == set(permutations("ABCD"))
    assert chi_square(seen, 24) < CRITICAL[23]


def test_each_of_52_cards_is_equally_likely_in_each_of_52_places() -> None:
    """Rows and columns of the table add up to the number of shuffles, hence 51 * 51 degrees of freedom."""
    seen = Counter[object]()
    for counter in range(2_000):
        seen.update(enumerate(shuffle(SEED, "fair", counter, range(52))))
    assert chi_square(seen, 52 * 52) * 51 / 52 < CRITICAL[51 * 51]
