"""Credentials: what each is made of, to the last digit, and what each is accepted for."""

import pytest
from msgspec import UNSET, UnsetType

from turnstile.kernel import PlayerId, Seed
from turnstile.league.proofs.manager import entering, refereeing
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address, MatchId, RefereeId
from turnstile.league.trust import (
    Claim,
    agent_token,
    answer_challenge,
    claim_of,
    default_referee_key,
    digest_of,
    id_in_token,
    is_equal,
    is_from_manager,
    manager_proof,
    match_conversation,
    match_key,
    new_challenge,
    opens_match,
    recipient_token,
)

SECRET, SEED = Seed("league secret"), Seed("match seed")
P01, REF01, R1M1 = Address("player:P01"), RefereeId("REF01"), MatchId("R1M1")
TOKEN = agent_token(SECRET, P01)
DIGEST = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"  # of "secret"


def test_credentials_are_derived_as_agents_of_earlier_versions_know_them() -> None:
    assert TOKEN == "tok-p01-6566384d9cc0fafd01b57c0d4bec2864"  # noqa: S105
    assert default_referee_key(SECRET) == "key-6c9444fc0e1f1f88a2f69b2b0453a2b6"
    assert manager_proof(SECRET, P01) == "af4237a1722abc63faa0435d4e80232908500a51cefddca67ccc14fd7836cc6d"
    assert match_key(SECRET, R1M1, REF01, PlayerId("P01")) == "tok-6cf5f7182f8ad668b386885e3624bcfd"
    assert match_conversation(SEED, R1M1, P01) == "conv-r1m1-32b6c8f9d45e376e4bac82fa"
    assert digest_of("secret") == DIGEST


def test_only_the_manager_is_shown_the_token_itself() -> None:
    assert recipient_token(TOKEN, LEAGUE_MANAGER) == TOKEN
    assert recipient_token(TOKEN, "referee:REF01") == "tok-6f48cb35bc42eb17c3a4e72b3576e8af"
    assert recipient_token(TOKEN, None) == "tok-a659420b464f85cd503afc5ce75996f8"


def test_a_token_names_its_agent() -> None:
    assert id_in_token(TOKEN) == "P01"
    assert id_in_token("tok-6f48cb35bc42eb17c3a4e72b3576e8af") == id_in_token("") == ""


@pytest.mark.parametrize("shown", [None, "", "other", "\ud800"])
def test_a_credential_that_differs_is_refused(shown: str | None) -> None:
    assert is_equal("expected", "expected")
    assert not is_equal(shown, "expected")


def test_a_manager_that_gave_a_proof_must_show_it() -> None:
    assert is_from_manager("proof", "proof", "player:P01")
    assert not is_from_manager("proof", "other", LEAGUE_MANAGER)
    assert not is_from_manager("proof", None, LEAGUE_MANAGER)


@pytest.mark.parametrize(("sender", "is_manager"), [(None, True), ("League_Manager:1", True), ("player:P01", False)])
def test_a_manager_that_gave_no_proof_is_known_by_its_name(sender: str | None, *, is_manager: bool) -> None:
    assert is_from_manager(None, None, sender) is is_manager


def test_a_match_with_keys_opens_to_each_of_them_alone() -> None:
    assert opens_match((), None)
    assert opens_match(("one", "other"), "other")
    assert not opens_match(("one", "other"), None)


@pytest.mark.parametrize("secret", [UNSET, ""])
def test_an_agent_without_a_secret_has_no_digest(secret: str | UnsetType) -> None:
    assert digest_of(secret) is None


def test_an_agent_confirms_a_challenge_about_its_own_request_alone() -> None:
    player, referee = claim_of(entering("Ana", secret="secret")), claim_of(refereeing("Ron"))  # noqa: S106
    assert (player, referee) == (Claim("Ana", DIGEST), Claim("Ron"))
    response = answer_challenge(new_challenge(player, "nonce"), player)
    assert response is not None
    assert response.nonce == "nonce"
    for claim in (referee, Claim("Ana"), None):
        assert answer_challenge(new_challenge(player, "nonce"), claim) is None
