"""Secrecy in pairs, through the whole table: two tables that agree on what an observer may know give it the same bytes.

Updates (with the whole view, and with what has changed), answers, refusals and the status are compared, for every seat,
for a spectator and for a stranger, with probes at every moment: moves out of turn, illegal moves, moves for others, old
and future versions. A pair is followed until its observer may rightly see the difference: when the study's `redraw`
says so, or when the match is over and its seed is shown. Whether an update comes at all is a part of what is compared.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from random import Random
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.table.proofs.walks import find
from tests.table.sight.moments import MOST_PLAYERS, Place, next_event, table_moments
from tests.table.tables import starting
from tests.testing.leaky import PLANTED, SHOWN_BY_CHANGES
from tests.testing.planter import SECRETS
from turnstile.games import ecard, evenodd, updown
from turnstile.games.sixtysix import rules as sixtysix
from turnstile.kernel import AnyGame, ByPlayer, Event, Move, PlayerId, Rejection, Seed, Step, digest, encode
from turnstile.registry import lent, names, study_of
from turnstile.table import news, play
from turnstile.table.machine import Table, table
from turnstile.table.messages import Told
from turnstile.table.play import thinking
from turnstile.table.sight import status
from turnstile.table.values import Acknowledge, Act, Batch, Command, Note, Phase
from turnstile.table.wire import write_change, write_whole
from turnstile.testing import Leak
from turnstile.testing.leaks import Eyes, forward, looks_alike
from turnstile.testing.moments import Spot, open_phases

pytestmark = pytest.mark.uncounted

STRANGER = PlayerId("a stranger")
LENGTH = 5
TRIES = 6
PAIRS = 8  # for each phase and each observer
FEWEST = 5  # followed through a step, of those of one phase, and of those of one observer
COMMITMENT = re.compile(r'(?<="commitment":")[0-9a-f]{64}')
"""It differs as the hidden seeds do, and says nothing about them."""


def eyes_on_table(game: AnyGame, observer: PlayerId | None, known: Sequence[Move]) -> Eyes:
    """A player at a table (`None`: a spectator) who sends whatever it likes, such as these `known` moves."""
    me = observer or STRANGER

    def sight(state: Table) -> object:
        return [status(state), [answered(state, probe) for probe in probes(game, state, me, known)]]

    def heard(before: Table, step: Step[Table]) -> object:
        updates = list(both_forms(told_to(step, observer), view_of(game, before, observer)))
        return [COMMITMENT.sub("a commitment", update.decode()) for update in updates]

    return Eyes(
        name=f"The table of {game.name} tells {observer or 'a spectator'}",
        machine=table,
        sight=sight,
        heard=heard,
        asks=lambda event: isinstance(event, Command) and event.player == me,
        is_alike=lambda one, two: is_alike(game, observer, one.state, two.state),
    )


def is_alike(game: AnyGame, observer: PlayerId | None, one: Table, two: Table) -> bool:
    """Whether the observer may not know which of these tables it is at. After the end the seed is shown."""
    if one.result or two.result:
        return False
    if one.match is None or two.match is None:
        return one.match is two.match
    return looks_alike(game, study_of(game), observer, one.match, two.match)


def told_to(step: Step[Table], observer: PlayerId | None) -> list[Told]:
    return [effect for effect in step.effects if isinstance(effect, Told) and effect.player == observer]


def view_of(game: AnyGame, state: Table, observer: PlayerId | None) -> Any:
    return None if state.match is None else game.view(state.match, observer)


def both_forms(told: Sequence[Told], view_before: Any) -> Iterator[bytes]:
    """Each update with the whole view, and with what has changed since the one before."""
    for update in told:
        yield write_whole(update)
        yield write_change(update, view_before)
        view_before = update.view


def there(event: Event, state: Table) -> Event:
    """The same in the other world: everyone acknowledges what it was told there."""
    return replace(event, cursors=state.told) if isinstance(event, Acknowledge) else event


def probes(game: AnyGame, state: Table, me: PlayerId, known: Sequence[Move]) -> Iterator[Act]:
    """All that an observer may send to find something out. What it sends depends on what it knows alone."""
    newest = state.told.get(me, 0)
    mine = () if state.match is None else game.actions(state.match, me)
    for move in (*mine[:4], *known):
        yield Act(me, "probe", state.now, Raw(encode(move)))
        yield Act(me, "probe", state.now, Raw(encode(replace(move, player=me))))
    for seen in (*range(newest - 6, newest), newest + 1, -1):
        yield Act(me, "probe", state.now, Raw(encode(mine[0]) if mine else b"null"), seen)
    yield Act(me, "probe", state.now, Raw(b'{"type":"Fly"}'))


def known_moves(game: AnyGame, states: Sequence[Table], rng: Random) -> list[Move]:
    """A few moves that a player could make at some time at this table."""
    matches = [state.match for state in states if state.match is not None]
    moves = [move for match in matches for player in game.players(match) for move in game.actions(match, player)]
    return rng.sample(moves, min(6, len(moves)))


def answered(state: Table, command: Command) -> object:
    """What the sender of a command is told."""
    answer = table.apply(state, command)
    return answer if isinstance(answer, Rejection) else "accepted"


def another(game: AnyGame, state: Table, observer: PlayerId | None, seed: Seed) -> Table:
    """The same table with all that is hidden from the observer redrawn, on the table and in what waits to be told."""

    def redrawn(match: Any) -> Any:
        study = study_of(game)
        assert study.redraw is not None
        return None if match is None else study.redraw(match, observer, seed)

    pending = tuple(replace(batch, match=redrawn(batch.match)) for batch in state.pending)
    return replace(state, match=redrawn(state.match), seed=Seed(f"another {seed}"), pending=pending)


def in_both(state: Table, other: Table, game: AnyGame, rng: Random) -> tuple[Event, Event]:
    """Something that can happen at both tables, if it is found soon."""
    for _ in range(TRIES):
        event = next_event(game, state, rng)
        if not any(
            isinstance(table.apply(*each), Rejection) for each in ((state, event), (other, there(event, other)))
        ):
            break
    return event, there(event, other)


def observer_at(place: Place, state: Table) -> PlayerId | None:
    seat = place.seat if isinstance(place, Spot) else place
    return None if seat is None else state.players[seat]


def forward_run(game: AnyGame, place: Place, state: Table, rng: Random) -> int:
    """One pair of tables that the observer may not tell apart; how many steps they were followed."""
    observer = observer_at(place, state)
    other = another(game, state, observer, Seed(str(rng.random())))
    assert other != state
    eyes = eyes_on_table(game, observer, known_moves(game, [state, other], rng))
    return forward(eyes, state, other, lambda one, two: in_both(one, two, game, rng), LENGTH)


def trace_run(game: AnyGame, place: Place, state: Table, rng: Random) -> int:
    """One table at which another player does one of two things in secret; how many steps the pair was followed."""
    observer = observer_at(place, state)
    pairs = secret_moves(game, state, observer)
    if not pairs:
        return 0
    secret = iter([rng.choice(pairs)])
    eyes = eyes_on_table(game, observer, known_moves(game, [state], rng))
    return forward(eyes, state, state, lambda one, two: next(secret, None) or in_both(one, two, game, rng), LENGTH)


def secret_moves(game: AnyGame, state: Table, observer: PlayerId | None) -> list[tuple[Act, Act]]:
    """Different moves of another player, of which the observer may not know which was made."""
    if state.phase is not Phase.PLAYING:
        return []
    moves = [(who, move) for who in thinking(game, state) if who != observer for move in game.actions(state.match, who)]
    after = {move: game.machine.apply(state.match, move) for _, move in moves}
    return [
        (made(state, who, one), made(state, who, two))
        for (who, one), (other, two) in combinations(moves, 2)
        if who == other and looks_alike(game, study_of(game), observer, after[one], after[two])
    ]


def made(state: Table, player: PlayerId, move: Move) -> Act:
    return Act(player, "act", state.now, Raw(encode(move)))


def many_runs(game: AnyGame) -> tuple[Counter[Place], Counter[Place]]:
    """PAIRS pairs for every phase and every observer in turn; how many of each kind were followed through a step."""
    rng = Random(f"pairs of tables of {game.name}")
    forwards, traces = Counter[Place](), Counter[Place]()
    found = table_moments(game)
    for number in range(PAIRS):
        for place, states in found.items():
            state = states[number % len(states)]
            forwards[place] += forward_run(game, place, state, rng) > 0
            traces[place] += trace_run(game, place, state, rng) > 0
    return forwards, traces


RESTING: dict[str, list[StrEnum]] = {
    "e-card": [ecard.Phase.ROUND_SETUP, ecard.Phase.PICKING],
    "even-odd": [evenodd.Phase.COLLECTING_CHOICES],
    "up-down": [updown.Phase.BETTING, updown.Phase.PLAYING_HAND],
    "66": open_phases(sixtysix.game),
}
"""The phases in which a table waits; the dealer leads through the others at once."""


@pytest.mark.parametrize("name", names())
def test_P3_V7_tables_that_differ_in_secrets_look_the_same_in_every_phase_from_every_seat(name: str) -> None:
    game = find(name)
    forwards, traces = many_runs(game)
    print(f"{game.title}: {dict(forwards)}, secret moves: {dict(traces)}")
    seats = min(game.seats[-1], MOST_PLAYERS)
    observers = (*range(seats), None)
    assert set(forwards) == {*observers, *(Spot(phase, seat) for phase in RESTING[name] for seat in observers)}
    spots = [spot for spot in forwards if isinstance(spot, Spot)]
    for phase in RESTING[name]:
        assert sum(forwards[spot] for spot in spots if spot.phase is phase) >= FEWEST, f"{phase}: {forwards}"
    for seat in observers:
        assert sum(forwards[spot] for spot in spots if spot.seat == seat) >= FEWEST, f"{seat}: {forwards}"
    secret = {ecard.Phase.PICKING, evenodd.Phase.COLLECTING_CHOICES}  # in 66 and Up-Down every move is made in the open
    wanted = {spot for spot in forwards if isinstance(spot, Spot) and spot.phase in secret}
    assert {spot for spot, count in traces.items() if count} == wanted, traces


def test_before_the_deal_neither_the_seed_nor_the_words_of_others_change_what_anyone_sees() -> None:
    one = starting("e-card").state
    other = replace(one, seed=Seed("another"), words=one.words.put(PlayerId("bo"), "luck"))
    for observer in (PlayerId("ana"), None):
        eyes = eyes_on_table(ecard.game, observer, ())
        assert encode(eyes.sight(one)) == encode(eyes.sight(other))


# The nets can see


@pytest.mark.parametrize("game", PLANTED.values(), ids=PLANTED)
def test_a_leak_that_is_planted_in_a_game_is_seen_through_the_table(game: AnyGame) -> None:
    with lent(game), pytest.raises(Leak):
        many_runs(game)


def test_a_status_that_gives_something_away_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = status

    def indiscreet(state: Table) -> object:
        return honest(state), None if state.match is None else state.match.pending_picks

    monkeypatch.setattr("tests.table.sight.test_secrecy.status", indiscreet)
    with pytest.raises(Leak):
        many_runs(ecard.game)


def test_a_refusal_of_an_old_move_that_gives_something_away_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = play._actions_since

    def indiscreet(game: AnyGame, state: Table, match: Any, *more: Any) -> ByPlayer[int]:
        since = honest(game, state, match, *more)
        tells = ecard.Card.EMPEROR in match.pending_picks.values()
        return ByPlayer({player: seq + tells for player, seq in since.items()})

    monkeypatch.setattr("turnstile.table.play._actions_since", indiscreet)
    with pytest.raises(Leak):
        many_runs(ecard.game)


def test_a_change_that_gives_something_away_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with lent(SHOWN_BY_CHANGES):
        with pytest.raises(Leak, match="changed"):
            many_runs(SHOWN_BY_CHANGES)
        monkeypatch.setattr("tests.table.sight.test_secrecy.write_change", lambda told, view_before: b"")
        many_runs(SHOWN_BY_CHANGES)  # nothing else shows it


PLANTS = [pytest.param(name, phase, id=f"{name} {phase}") for name in names() for phase in open_phases(find(name))]


@pytest.mark.parametrize(("name", "phase"), PLANTS)
def test_an_update_that_comes_or_not_depending_on_a_secret_is_seen_in_every_phase(
    name: str, phase: StrEnum, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`phase` is where the match was before the event, though the table may not rest there."""
    honest, add, secret = news.batches_of, news.Telling.add, SECRETS[name]

    def batches_of(game: AnyGame, before: Table, event: Event, step: Step[Any]) -> tuple[Batch[Any], ...]:
        batches = honest(game, before, event, step)
        if before.match is None or before.match.phase is not phase:
            return batches
        hidden = {who: [secret(before.match, who), secret(step.state, who)] for who in before.players}
        notes = tuple(Note(who) for who in before.players if digest(hidden[who]) < "8")
        return (*batches, Batch(notes, is_last=False)) if notes else batches

    def add_as_update(telling: news.Telling, batch: Batch[Any], match: Any) -> None:
        if not batch.is_last:
            telling._newest.clear()  # else it would be one update with what this step tells anyway
        add(telling, batch, match)

    monkeypatch.setattr("turnstile.table.news.Telling.add", add_as_update)
    monkeypatch.setattr("turnstile.table.play.batches_of", batches_of)
    with pytest.raises(Leak):
        many_runs(find(name))
