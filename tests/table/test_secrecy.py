"""Secrecy in pairs, through the whole table: two tables that agree on what somebody may know give it the same bytes.

Updates, answers, refusals and the status are compared, for every seat, for a spectator and for a stranger, with probes
at every moment: moves out of turn, illegal moves, moves for others, old and future versions. A pair is followed until
its observer may rightly see the difference: when the game's own `imagine` reads different things in the two views, or
when the match is over and its seed is shown.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from tests.leaky import PLANTED
from tests.table.tables import starting
from tests.table.walks import act, find, happening, walked
from turnstile.games import ecard
from turnstile.kernel import AnyGame, Event, Move, PlayerId, Rejection, Seed, Step, encode
from turnstile.registry import lent, names, study_of
from turnstile.table import play
from turnstile.table.machine import Table, table
from turnstile.table.sight import status
from turnstile.table.values import Acknowledge, Act, Command, Resign, Told
from turnstile.testing import Leak
from turnstile.testing.leaks import Eyes, forward, looks_alike, means_the_same, trace

STRANGER = PlayerId("a stranger")
LENGTH = 12
SETTINGS = settings(
    max_examples=120,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def eyes_on_table(game: AnyGame, observer: PlayerId | None, known: Sequence[Move]) -> Eyes:
    """A player at a table, or with `None` whoever looks on; both may send whatever they like, such as `known` moves."""
    me = observer or STRANGER

    def sight(state: Table) -> object:
        return [status(state), [answered(state, probe) for probe in probes(game, state, me, known)]]

    return Eyes(
        name=f"The table of {game.name} tells {observer or 'a spectator'}",
        machine=table,
        sight=sight,
        heard=lambda step: [body.decode() for told in told_to(step, observer) for _, body in told.updates()],
        asks=lambda event: isinstance(event, Command) and event.player == me,
        is_alike=lambda one, two: is_alike(game, observer, one, two),
        there=there,
    )


def is_alike(game: AnyGame, observer: PlayerId | None, one: Step[Table], two: Step[Table]) -> bool:
    """Whether nothing that the observer may read, on the way or at the end, tells these steps from each other.

    Where nobody is waited for, one step of the table is several of its game.
    """
    if one.state.result or two.state.result:
        return False
    views = [[told.view for told in told_to(step, observer)] for step in (one, two)]
    on_the_way = all(
        here is None or there is None or means_the_same(study_of(game), observer, here, there)
        for here, there in zip(*views, strict=False)
    )
    return on_the_way and (
        one.state.match is None
        or two.state.match is None
        or looks_alike(game, study_of(game), observer, one.state.match, two.state.match)
    )


def told_to(step: Step[Table], observer: PlayerId | None) -> list[Told]:
    return [effect for effect in step.effects if isinstance(effect, Told) and effect.player == observer]


def there(event: Event, state: Table) -> Event:
    """The same in the other world: everyone acknowledges what it was told there."""
    return replace(event, cursors=state.told) if isinstance(event, Acknowledge) else event


def probes(game: AnyGame, state: Table, me: PlayerId, known: Sequence[Move]) -> Iterator[Act]:
    """All that somebody may send to find something out. What it sends depends on what it knows alone."""
    newest = state.told.get(me, 0)
    mine = () if state.match is None else game.actions(state.match, me)
    for move in (*mine[:4], *known):
        yield Act(me, "probe", state.now, Raw(encode(move)))
        yield Act(me, "probe", state.now, Raw(encode(replace(move, player=me))))
    for seen in (*range(newest - 6, newest), newest + 1, -1):
        yield Act(me, "probe", state.now, Raw(encode(mine[0]) if mine else b"null"), seen)
    yield Act(me, "probe", state.now, Raw(b'{"type":"Fly"}'))


def known_moves(game: AnyGame, states: Sequence[Table], rng: Random) -> list[Move]:
    """A few moves that somebody could make at some time at this table."""
    matches = [state.match for state in states if state.match is not None]
    moves = [move for match in matches for player in game.players(match) for move in game.actions(match, player)]
    return rng.sample(moves, min(6, len(moves)))


def answered(state: Table, command: Command) -> object:
    """What the sender of a command is told."""
    answer = table.apply(state, command)
    return answer if isinstance(answer, Rejection) else "accepted"


def imagined(game: AnyGame, state: Table, observer: PlayerId | None, seed: Seed) -> Table:
    """A table that looks the same to the observer."""
    study = study_of(game)
    assert study.imagine is not None
    other = study.imagine(game.view(state.match, observer), observer, seed)
    return replace(state, match=other, seed=Seed(f"another {seed}"))


@st.composite
def sittings(draw: st.DrawFn) -> tuple[AnyGame, Random, int]:
    game = find(draw(st.sampled_from(names()), label="game"))
    return game, Random(draw(st.integers(0, 2**32), label="seed")), draw(st.integers(6, 60), label="events")


def forward_run(game: AnyGame, rng: Random, length: int) -> int:
    """One pair of tables that look alike to somebody; how many events it could not tell them apart."""
    walk = walked(rng, length, game)
    state = walk.state
    if state.match is None or state.result is not None:
        return 0
    observer = rng.choice([*state.players, None])
    other = imagined(game, state, observer, Seed(str(rng.random())))
    eyes = eyes_on_table(game, observer, known_moves(game, walk.states, rng))
    return forward(eyes, state, other, lambda now: anything(now, rng), LENGTH)


def anything(state: Table, rng: Random) -> Event:
    """What happens next; a match that would end is one whose seed is shown, so nobody resigns."""
    while isinstance(event := happening(state, rng), Resign):
        pass
    return event


def trace_run(game: AnyGame, rng: Random, length: int) -> int:
    """One pair of tables at which somebody does one thing or another; how many events nobody else could tell."""
    walk = walked(rng, length, game)
    acts = [moment for moment, event in enumerate(walk.events) if isinstance(event, Act)]
    if not acts:
        return 0
    moment = rng.choice(acts)
    state, event = walk.states[moment], walk.events[moment]
    assert isinstance(event, Act)
    instead = replace(act(state, event.player, event.at, rng), seen=event.seen)
    observer = rng.choice([*(player for player in state.players if player != event.player), None])
    eyes = eyes_on_table(game, observer, known_moves(game, walk.states, rng))
    return trace(eyes, state, (event, instead), walk.events[moment + 1 :])


@SETTINGS
@given(sittings())
def test_P3_V7_forward_pairs_of_tables_look_the_same(sitting: tuple[AnyGame, Random, int]) -> None:
    forward_run(*sitting)


@SETTINGS
@given(sittings())
def test_P3_V7_trace_pairs_of_tables_look_the_same(sitting: tuple[AnyGame, Random, int]) -> None:
    trace_run(*sitting)


@pytest.mark.parametrize(
    ("run", "name"),
    [*((forward_run, name) for name in names()), (trace_run, "e-card"), (trace_run, "even-odd"), (trace_run, "66")],
)
def test_pairs_are_followed_for_a_while_before_they_part(run: Any, name: str) -> None:
    followed = [run(find(name), Random(f"{name} {seed}"), 18) for seed in range(80)]
    assert sum(count > 0 for count in followed) >= 5, followed


def test_before_the_deal_neither_the_seed_nor_the_words_of_others_change_what_anyone_sees() -> None:
    one = starting("e-card").state
    other = replace(one, seed=Seed("another"), words=one.words.put(PlayerId("bo"), "luck"))
    for observer in (PlayerId("ana"), None):
        eyes = eyes_on_table(ecard.game, observer, ())
        assert encode(eyes.sight(one)) == encode(eyes.sight(other))


# The nets can see


def many_runs(game: AnyGame) -> None:
    for seed in range(400):
        forward_run(game, Random(f"planted {seed}"), 40)
        trace_run(game, Random(f"planted {seed}"), 40)


@pytest.mark.parametrize("game", PLANTED.values(), ids=PLANTED)
def test_a_leak_that_is_planted_in_a_game_is_seen_through_the_table(game: AnyGame) -> None:
    with lent(game), pytest.raises(Leak):
        many_runs(game)


def test_a_status_that_gives_something_away_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = status

    def indiscreet(state: Table) -> object:
        return honest(state), None if state.match is None else state.match.pending_picks

    monkeypatch.setattr("tests.table.test_secrecy.status", indiscreet)
    with pytest.raises(Leak):
        many_runs(ecard.game)


def test_a_refusal_of_an_old_move_that_gives_something_away_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = play._may_do_other

    def indiscreet(game: AnyGame, before: Any, after: Any, player: PlayerId) -> bool:
        return honest(game, before, after, player) or ecard.Card.EMPEROR in after.pending_picks.values()

    monkeypatch.setattr("turnstile.table.play._may_do_other", indiscreet)
    with pytest.raises(Leak):
        many_runs(ecard.game)
