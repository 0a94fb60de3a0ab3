"""Rules that name their phases without the enumeration: each name stands for the phase of that name."""

from enum import StrEnum
from types import ModuleType

import pytest

from turnstile.games import evenodd
from turnstile.games.ecard import Phase as EcardPhase
from turnstile.games.ecard import rules as ecard
from turnstile.games.sixtysix import rules as sixtysix
from turnstile.games.sixtysix.state import Phase as SixtySixPhase
from turnstile.games.updown import rules as updown
from turnstile.games.updown.state import Phase as UpDownPhase


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (ecard, EcardPhase),
        (sixtysix, SixtySixPhase),
        (updown, UpDownPhase),
        (evenodd, evenodd.Phase),
        (evenodd, evenodd.Parity),
    ],
)
def test_a_name_is_that_of_its_member(rules: ModuleType, words: type[StrEnum]) -> None:
    assert {word.name: getattr(rules, word.name) for word in words} == dict(words.__members__)
