"""What a referee is bound to: it tells the manager before it asks the players, and its first word counts."""

import pytest

from tests.league.manager.managed import REF01, REF02, League
from turnstile.kernel import Seed, Send, Step
from turnstile.kernel.chance import commit
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.manager.queries import commitment_of
from turnstile.league.proofs.referee import assigned
from turnstile.league.protocol.messages import GameJoinAck, LeagueQuery
from turnstile.league.protocol.values import GET_STANDINGS, GET_STATUS, QueryParams
from turnstile.league.protocol.words import Address, MatchId
from turnstile.league.referee.machine import new, referee

ONE, OTHER = commit(Seed("one")), commit(Seed("other"))
R1M1 = MatchId("R1M1")


def bound(
    league: League, word: str | None, match: str = "R1M1", by: str = "referee:REF01", kind: str = GET_STANDINGS
) -> League:
    params = QueryParams(match_id=MatchId(match), commitment=word)
    return league.takes(
        LeagueQuery(sender=Address(by), league_id=league.state.league_id, query_type=kind, query_params=params)
    )


def begun(referees: tuple[str, ...] = ("Ron",)) -> League:
    return League.of("Ana", "Bo", referees=referees).heard()


@pytest.mark.parametrize("kind", [GET_STANDINGS, GET_STATUS])
def test_A20_the_first_commitment_of_the_referee_of_a_match_is_kept(kind: str) -> None:
    league = bound(begun(), ONE, kind=kind)
    assert [type(effect) for effect in league.effects] == [Send]  # and the question is answered as ever
    assert commitment_of(league.state, R1M1) == ONE
    assert bound(league, OTHER).match("R1M1").commitment == ONE


@pytest.mark.parametrize(
    ("word", "match", "by"),
    [
        (ONE, "R1M1", "referee:REF02"),
        (ONE, "R1M1", "player:P01"),
        (ONE, "R2M1", "referee:REF01"),
        (ONE, "R1M2", "referee:REF01"),
        (ONE, "R1M0", "referee:REF01"),
        (ONE, "the first", "referee:REF01"),
        (ONE, "", "referee:REF01"),
        (None, "R1M1", "referee:REF01"),
        ("", "R1M1", "referee:REF01"),
        (ONE[:-1], "R1M1", "referee:REF01"),
        (ONE + "0" * 60_000, "R1M1", "referee:REF01"),
        (ONE.upper(), "R1M1", "referee:REF01"),
    ],
)
def test_A20_anything_else_binds_nobody(word: str | None, match: str, by: str) -> None:
    league = begun()
    before = league.state
    assert bound(league, word, match, by).state is before


def test_A20_nobody_is_bound_before_the_league_begins_or_when_the_match_is_over() -> None:
    pending = League()
    pending.enters("Ana").enters("Bo").referees("Ron")
    assert bound(pending, ONE).state.matches == ()
    league = League.of("Ana", "Bo", "Cy", "Di").heard().reports("R1M1", None)
    assert bound(league, ONE).match("R1M1").commitment is None
    assert commitment_of(begun().reports("R1M1", None).state, R1M1) is None  # the league is over


def test_A20_another_referee_has_another_seed_and_the_same_one_has_not() -> None:
    league = bound(begun(("Ron", "Sue")), ONE).answers(REF01)
    while league.match("R1M1").referee_id == REF01:
        league.watches(REF01)
    assert commitment_of(league.state, R1M1) is None
    assert bound(league, OTHER).match("R1M1").commitment is None  # said by the first one
    assert bound(league, OTHER, by=f"referee:{REF02}").match("R1M1").commitment == OTHER
    alone = bound(begun(), ONE).answers(REF01)
    while alone.state.revision == 0:
        alone.watches(REF01) if alone.phase != "WAITING_FOR_REFEREE" else alone.answers(REF01)
    assert alone.match("R1M1").commitment == ONE


def test_A20_a_referee_is_bound_by_its_question_before_it_calls_anybody() -> None:
    given = assigned(Seed("a seed"))
    match, state, said = given.match, new(REF01), []
    joins = [
        GameJoinAck(match_id=match.match_id, player_id=player, accept=True)
        for player in (match.player_a_id, match.player_b_id)
    ]
    for event in (given, *joins):
        step = referee.step(state, event)
        assert isinstance(step, Step)
        state, said = step.state, [effect.message for effect in step.effects if isinstance(effect, Send)]
    (query,) = said
    assert isinstance(query, LeagueQuery)
    assert query.query_params
    assert query.query_params.match_id == match.match_id
    assert query.query_params.commitment == commit(Seed("a seed"))


def test_A20_a_league_within_one_process_tells_what_its_referees_were_bound_to() -> None:
    entrants = [Entrant(name, lambda question: "even") for name in ("Ana", "Bo", "Cy", "Di", "Eve")]
    count = 0
    for played in LocalLeague(entrants, Seed("a league")).run():
        for report, commitment in zip(played.results, played.commitments, strict=True):
            assert commitment == commit(Seed(str(report.result.details.seed)))
            count += 1
    assert count == 10
