"""Contests: the same matches every time, and statistics that say what the matches say."""

from tests.lab import own_bots
from turnstile.games.ecard import game
from turnstile.kernel import Seed
from turnstile.lab.contests import Contest, tournament_seatings
from turnstile.lab.contests.contest import play_matches
from turnstile.lab.contests.standings import standings_of
from turnstile.lab.results import ResultLine


def contest(bots: str, deals: int, players: int = 2, name: str = game.name) -> Contest:
    names = tuple(bots.split(","))
    return Contest(name, names, b"{}", Seed("7"), deals, tournament_seatings(names, players))


def test_all_seatings_of_a_deal_get_the_same_cards() -> None:
    plan = contest("tests.lab.own_bots:looking,tests.lab.own_bots:looking_too", 2, name="up-down")
    matches, dealt = [], []
    for number in range(plan.matches):
        own_bots.hands.clear()
        matches += results(plan, range(number, number + 1))
        dealt.append(dict(own_bots.hands))
    assert [(match.deal, match.seating) for match in matches] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [match.seats for match in matches[:2]] == [plan.bots, plan.bots[::-1]]
    assert dealt[0] == dealt[1] != dealt[2] == dealt[3]
    assert set(dealt[0]) == set(plan.players)


def test_bots_draw_anew_in_every_match() -> None:
    plan = contest("random,equilibrium", 2)
    first, second, *_ = results(plan, range(4))
    assert (first.winners, first.scores, first.moves) != (second.winners, second.scores, second.moves)
    assert results(plan, range(1, 2)) == [second]


def results(plan: Contest, numbers: range) -> list[ResultLine]:
    return [match.result for match in play_matches(plan, numbers)]


def played(plan: Contest, winners: str) -> list[ResultLine]:
    """Matches of a plan that the named bots win, in order; `=` is a shared win."""
    matches = []
    for number, winner in enumerate(winners):
        deal, seating = divmod(number, len(plan.seatings))
        seats = plan.seatings[seating]
        won = tuple(seat for seat, bot in enumerate(seats) if winner in ("=", bot))
        scores = tuple(10 * (seat in won) for seat in range(len(seats)))
        matches.append(ResultLine(deal=deal, seating=seating, seats=seats, winners=won, scores=scores, moves=5))
    return matches


def test_standings_say_what_the_matches_say() -> None:
    plan = contest("a,b", 10)
    found = standings_of(plan, played(plan, "aa" * 9 + "ab"))
    assert (found.deals, found.matches) == (10, 20)
    best, last = found.bots
    assert (best.bot, best.wins.mean, best.mean_score) == ("a", 0.95, 9.5)
    assert best.rating.low < best.rating.mu < best.rating.high
    assert best.rating.mu > last.rating.mu
    assert [mean.mean for mean in best.wins_by_seat] == [1.0, 0.9]
    assert [seat.wins.mean for seat in found.seats] == [0.55, 0.45]
    (pair,) = found.pairs
    assert (pair.bot, pair.other, pair.matches, pair.ahead.mean) == ("a", "b", 20, 0.95)
    assert (pair.p, pair.is_certain) == (2 / 2**9, True)  # in the last deal both have won once
    assert pair.score_difference.mean == 9


def test_a_seat_that_always_wins_makes_no_bot_better() -> None:
    plan = contest("a,b", 50)
    found = standings_of(plan, played(plan, "ab" * 50))
    assert [seat.wins.mean for seat in found.seats] == [1.0, 0.0]
    assert not found.pairs[0].is_certain
    assert found.pairs[0].ahead.mean == 0.5


def test_a_deal_that_is_not_over_is_not_counted() -> None:
    plan = contest("a,b", 10)
    assert standings_of(plan, played(plan, "aaa")) == standings_of(plan, played(plan, "aa"))


def test_with_more_players_a_pair_is_judged_by_its_places() -> None:
    plan = contest("a,b,c", 1, players=3)
    found = standings_of(plan, played(plan, "aaaaa="))
    by_pair = {(pair.bot, pair.other): pair.ahead.mean for pair in found.pairs}
    assert by_pair == {("a", "b"): 5.5 / 6, ("a", "c"): 5.5 / 6, ("b", "c"): 0.5}
    assert sum(bot.wins.mean for bot in found.bots) == 1


def test_a_bot_with_several_seats_is_rated_once() -> None:
    plan = contest("a,b", 4, players=4)
    found = standings_of(plan, played(plan, "a" * 8))
    assert [bot.bot for bot in found.bots] == ["a", "b"]
    assert found.bots[0].rating.mu > found.bots[1].rating.mu
