"""A whole league within one process: everybody meets everybody, nothing takes time, and a seed plays it again."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.chance import Seed, draw
from turnstile.kernel.values import Instant, PlayerId
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.local.manager import RoundPlayed
from turnstile.league.local.network import Envelope, Network, PerfectDelivery
from turnstile.league.manager import state as manager_state
from turnstile.league.player import state as player_state
from turnstile.league.player.state import Question
from turnstile.league.protocol.messages import GameJoinAck, RoundAnnouncement
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    LEAGUE_MANAGER,
    Address,
    MatchId,
    RefereeId,
    Status,
    referee_address,
)


def random_strategy(seed: str) -> Entrant:
    own = Seed(seed)
    return Entrant(seed, lambda question: ("even", "odd")[draw(own, question.match_id, 0, 2)])


def league(players: int, seed: str = "a seed", **options: int) -> LocalLeague:
    return LocalLeague([random_strategy(f"Player {number}") for number in range(players)], Seed(seed), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [2, 3, 4, 7, 12])
def test_everybody_meets_everybody_once_and_the_table_is_the_sum_of_the_results(players: int) -> None:
    played = league(players)
    rounds = list(played.run())
    results = [report.result for each in rounds for report in each.results]
    pairs = Counter(frozenset(result.score) for result in results)
    ids = [manager_state.player_id(number + 1) for number in range(players)]
    assert pairs == Counter(map(frozenset, combinations(ids, 2)))
    points = {row.player_id: row.points for row in played.standings}
    assert points == {player: sum(result.score.get(player, 0) for result in results) for player in ids}
    assert all(result.details.status is not Status.TECHNICAL_LOSS for result in results)


@pytest.mark.parametrize("game_type", ["e-card", "up-down", "66"])
def test_a_league_may_play_another_game(game_type: str) -> None:
    """One moves as it is offered, one writes its move out, one says nothing and has its moves made for it."""

    def first(question: Question) -> Raw:
        assert question.move is not None
        return question.move.request.valid_options[0]

    entrants = [
        Entrant("raw", first),
        Entrant("written", lambda question: bytes(first(question)).decode()),
        Entrant("silent", lambda question: None),
    ]
    played = LocalLeague(entrants, Seed("another game"), game_type=game_type)
    results = [report.result.details for each in played.run() for report in each.results]
    assert len(results) == 3
    assert all(details.status is not Status.TECHNICAL_LOSS and details.seed for details in results)
    assert all(match.is_fair for each in played.players for match in each.state.history)


def test_every_round_is_given_as_it_ends_with_the_table_after_it() -> None:
    played = league(6)
    seen = [(each.round_id, len(each.results), each.standings[0].played) for each in played.run()]
    assert seen == [(number, 3, number) for number in range(1, 6)]
    assert played.manager.state.phase is manager_state.Phase.LEAGUE_COMPLETE


def test_all_players_know_at_the_end_what_the_table_says() -> None:
    played = league(5)
    list(played.run())
    rows = {row.player_id: (row.wins, row.draws, row.losses, row.points) for row in played.standings}
    for player in played.players:
        own = player.state.statistics
        assert player.state.phase is player_state.Phase.LEAGUE_COMPLETE
        assert rows[player.state.me] == (own.wins, own.draws, own.losses, own.points)
        assert all(match.is_fair for match in player.state.history)


def outcome(rounds: list[RoundPlayed]) -> list[object]:
    return [(each.results, each.standings) for each in rounds]


def test_the_same_seed_plays_the_same_league_and_another_seed_another() -> None:
    first, again, other = (outcome(list(league(8, seed).run())) for seed in ("one", "one", "two"))
    assert first == again
    assert first != other


def test_several_referees_share_the_matches_of_a_league() -> None:
    alone, many = list(league(6, referees=1).run()), list(league(6, referees=3, at_a_time=1).run())
    assert [len(each.results) for each in alone] == [len(each.results) for each in many]
    assert len({report.sender for each in many for report in each.results}) == 3


# referees


@pytest.mark.parametrize("at_a_time", [1, 2, 5])
def test_no_referee_runs_more_matches_at_a_time_than_it_may(at_a_time: int) -> None:
    most = 0

    def looks_around(question: Question) -> str:
        nonlocal most
        most = max(most, *(len(referee.matches) for referee in played.referees))
        return "even"

    played = LocalLeague([Entrant(f"{n}", looks_around) for n in range(12)], Seed("s"), referees=2, at_a_time=at_a_time)
    list(played.run())
    assert most == min(at_a_time, 3)


def test_of_matches_that_are_over_a_referee_keeps_those_of_the_latest_round() -> None:
    played = league(6)
    list(played.run())
    assert sum(len(referee.finished) for referee in played.referees) == 3
    assert not any(referee.matches or referee.waiting for referee in played.referees)


def test_a_referee_takes_its_own_matches_of_an_announced_round_and_none_of_an_earlier_one() -> None:
    played = league(4, referees=2, at_a_time=1)
    one, other = played.referees
    rounds = played.run()
    next(rounds)
    earlier = announced(1, one.referee_id, "R1M7")
    both = announced(9, one.referee_id, "R9M1", "R9M2")
    shared = replace(both, matches=(both.matches[0], replace(both.matches[1], referee_id=other.referee_id)))
    for announcement in (shared, shared, earlier):
        one.receive(Envelope(LEAGUE_MANAGER, referee_address(one.id), announcement))
    known = {*one.matches, *one.waiting}
    assert "R9M1" in known
    assert not known & {"R9M2", "R1M7"}


def announced(round_id: int, referee: RefereeId | None, *matches: str) -> RoundAnnouncement:
    entries = tuple(
        AnnouncedMatch(
            match_id=MatchId(match),
            player_a_id=PlayerId("P01"),
            player_b_id=PlayerId("P02"),
            referee_endpoint="local:referee:1",
            referee_id=referee,
        )
        for match in matches
    )
    return RoundAnnouncement(league_id=DEFAULT_LEAGUE, round_id=round_id, matches=entries)


# strategies


def test_a_strategy_is_told_what_its_player_may_know() -> None:
    asked: list[Question] = []

    def curious(question: Question) -> str:
        asked.append(question)
        return "odd"

    list(LocalLeague([Entrant("Curious", curious), *map(random_strategy, "abc")], Seed("s")).run())
    assert [question.round_id for question in asked] == [1, 2, 3]
    assert {question.opponent_id for question in asked} == {"P02", "P03", "P04"}
    assert [len(question.history) for question in asked] == [0, 1, 2]
    assert [len(question.standings) for question in asked] == [0, 4, 4]
    last = asked[-1]
    assert last.statistics.wins + last.statistics.draws + last.statistics.losses == 2
    assert all(match.my_choice == "odd" and match.opponent_choice in ("even", "odd") for match in last.history)


@pytest.mark.parametrize("says", [None, "seven"])
def test_a_strategy_that_says_nothing_of_use_has_its_player_say_even_when_time_is_nearly_over(says: str | None) -> None:
    played = LocalLeague([Entrant("Dull", lambda question: says), random_strategy("b")], Seed("s"))
    (only,) = played.run()
    (report,) = only.results
    assert report.result.details.choices["P01"] == "even"  # type: ignore[index]
    assert report.result.details.status is not Status.TECHNICAL_LOSS
    assert played.network.now >= 29_000, "of virtual time"


def test_the_pace_shortens_the_wait() -> None:
    played = LocalLeague([Entrant("Dull", lambda question: None), random_strategy("b")], Seed("s"), time_scale=0.1)
    list(played.run())
    assert 2_900 <= played.network.now < 29_000


def test_two_players_of_one_name_both_take_part_and_one_is_renamed() -> None:
    played = LocalLeague([Entrant("Same", lambda question: "even")] * 2, Seed("s"))
    list(played.run())
    names = sorted(row.display_name for row in played.standings)
    assert names[0] == "Same"
    assert names[1].startswith("Same-")


@pytest.mark.parametrize(("players", "referees", "at_a_time"), [(1, 1, 1), (2, 0, 1), (2, 1, 0)])
def test_a_league_without_players_or_referees_is_none(players: int, referees: int, at_a_time: int) -> None:
    with pytest.raises(ValueError, match="at least two players, and a referee"):
        league(players, referees=referees, at_a_time=at_a_time)


# the network


class Lost:
    """A network that loses everything."""

    def carry(self, envelope: Envelope) -> Sequence[int]:
        return ()


class Sleeper:
    """An agent that notes when it is woken."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.wakes_at: Instant | None = None
        self.seen: list[object] = []

    def start(self) -> None:
        self.network.agents[Address("me")] = self

    def receive(self, envelope: Envelope) -> None:
        self.seen.append(envelope.message)

    def fail(self, envelope: Envelope) -> None:
        self.seen.append("failed")

    def wake(self) -> None:
        self.seen.append(self.network.now)


def test_time_stands_still_while_there_are_envelopes_and_jumps_to_what_comes_next() -> None:
    network = Network(PerfectDelivery())
    sleeper = Sleeper(network)
    sleeper.start()
    network.wake_at(Instant(5_000), sleeper)
    said = GameJoinAck(match_id="R1M1", player_id="P01", accept=True)  # type: ignore[arg-type]
    network.send(Envelope(Address("you"), Address("me"), said))
    while network.turn():
        pass
    assert sleeper.seen == [said, 5_000]


def test_an_agent_is_woken_at_the_earliest_time_it_has_asked_for_and_once() -> None:
    network = Network(PerfectDelivery())
    sleeper = Sleeper(network)
    for due in (3_000, 2_000, 4_000):
        network.wake_at(Instant(due), sleeper)
    while network.turn():
        pass
    assert sleeper.seen == [2_000]


def test_who_writes_to_nobody_is_told_and_who_is_not_there_is_not() -> None:
    network = Network(PerfectDelivery())
    sleeper = Sleeper(network)
    sleeper.start()
    said = GameJoinAck(match_id="R1M1", player_id="P01", accept=True)  # type: ignore[arg-type]
    network.send(Envelope(Address("me"), Address("nobody"), said))
    network.send(Envelope(Address("nobody"), Address("no one"), said))
    while network.turn():
        pass
    assert sleeper.seen == ["failed"]


def test_where_all_envelopes_get_lost_nobody_is_registered() -> None:
    played = LocalLeague([random_strategy("a"), random_strategy("b")], Seed("s"), delivery=Lost())
    for _ in range(1_000):
        if not played.network.turn():
            break
    assert played.manager.state.players == ()
