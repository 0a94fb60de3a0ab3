"""How many states E-Card has: every one of them is visited, and each number is explained."""

from collections import deque
from functools import cache

from tests.rules.ecard.matches import PLAYERS, started
from turnstile.games.ecard import Options, Phase, State, actions, dealer, ecard, game
from turnstile.games.ecard.state import ROUNDS
from turnstile.kernel import Event
from turnstile.kernel.check import SEEDS, Report, Verdict, Walk, World, check, world_of
from turnstile.studies.ecard import study

# With k draws behind them both players hold 5 - k cards. Nobody has picked, or the emperor has, or the slave has: one
# of two different cards while citizens are left, the last card after four draws.
PICKING_STATES = 4 * (1 + 2 + 2) + (1 + 1 + 1)
ROUND_STATES = 1 + PICKING_STATES  # and RoundSetup

# A round is decided by E against C, C against S or E against S after 0 to 3 draws, and by E against S after 4.
WAYS_TO_WIN_AS_EMPEROR = 4 * 2
WAYS_TO_WIN_AS_SLAVE = 4 + 1


def whats_next(match: State) -> list[Event]:
    due = dealer(match)
    return [due] if due else [action for player in PLAYERS for action in actions(match, player)]


def test_one_decisive_round_has_24_states_and_13_ways_to_be_decided() -> None:
    edge = deque([started()])
    going_on, decided = set(edge), set()
    while edge:
        match = edge.popleft()
        for happens in whats_next(match):
            after = ecard.apply(match, happens)
            assert isinstance(after, State)
            if after.decisive_round_index == 1:
                decided.add(after)
            elif after not in going_on:
                going_on.add(after)
                edge.append(after)
    assert len(going_on) == ROUND_STATES == 24
    assert len(decided) == WAYS_TO_WIN_AS_EMPEROR + WAYS_TO_WIN_AS_SLAVE == 13
    assert max(len(match.revealed) for match in decided) == 5
    assert {match.phase for match in decided} == {Phase.ROUND_SETUP}


def test_the_checkers_walk_of_one_decisive_round_meets_the_same_states() -> None:
    world = World(
        machine=ecard,
        starts=[started()],
        moves=whats_next,
        over=lambda match: match.decisive_round_index == 1,
        violation=study.violation,
    )
    walk = Walk(world, most_states=1000)
    findings = walk.findings()
    assert len(walk.nodes) == 24 + 13
    assert findings[-1].sentence == "no match goes on for ever: the longest has 11 events"


@cache
def checked() -> Report:
    return check(world_of(game, study, Options()))


def test_the_whole_match_has_4112_states_and_every_promise_holds_in_all_of_them() -> None:
    report = checked()
    assert report.passed, report.findings

    lobbies = len(SEEDS)  # the one state that still depends on the seed
    scores = (
        sum(number + 1 for number in range(ROUNDS)) + 1
    )  # before each of 12 rounds, and 6 to 6 before the extra one
    # the last round is won by the emperor or by the slave, at any score of 12 rounds but 6 to 6, and in the tie break
    ends = (11 + 1) * (WAYS_TO_WIN_AS_EMPEROR + WAYS_TO_WIN_AS_SLAVE)
    assert report.states == lobbies + 2 * (scores * ROUND_STATES + ends) == 4112

    told = [finding.sentence for finding in report.findings]
    assert f"every state can still reach one of {2 * ends} ends" in told


def test_the_longest_match_has_144_events() -> None:
    start, rounds, begin, picks = 1, ROUNDS + 1, 1, 2 * 5
    assert start + rounds * (begin + picks) == 144
    longest = [finding for finding in checked().findings if "longest" in finding.sentence]
    assert [finding.sentence for finding in longest] == ["no match goes on for ever: the longest has 144 events"]
    assert longest[0].verdict is Verdict.PROVED
