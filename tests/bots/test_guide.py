"""What guides share: the chance of each player to win, from its score."""

from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from turnstile.bots.guide import shares_by_score
from turnstile.kernel import PlayerId

SCORES = st.dictionaries(st.sampled_from([PlayerId(name) for name in "abcd"]), st.floats(-500, 500), min_size=2)
SCALES = st.floats(0.1, 100)


@given(scores=SCORES, scale=SCALES)
def test_the_shares_of_all_players_are_one_and_more_points_are_no_worse(
    scores: dict[PlayerId, float], scale: float
) -> None:
    shares = shares_by_score(scores, scale)
    assert isclose(sum(shares.values()), 1)
    by_score = sorted(scores, key=lambda player: scores[player])
    assert [shares[player] for player in by_score] == sorted(shares.values())


@given(score=st.floats(-500, 500), scale=SCALES)
def test_equal_scores_share_equally_and_a_lead_of_the_scale_is_three_to_one(score: float, scale: float) -> None:
    ana, bo, cy = (PlayerId(name) for name in ("ana", "bo", "cy"))
    assert set(shares_by_score({ana: score, bo: score, cy: score}, scale).values()) == {1 / 3}
    led = shares_by_score({ana: score + scale, bo: score}, scale)
    assert 0.70 < led[ana] < 0.76
