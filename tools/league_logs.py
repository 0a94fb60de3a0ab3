"""The logs of a small league, for tests/logs: every machine of it, written as its agent would write it."""

from collections.abc import Iterator
from typing import Any

from turnstile.agents.process.logs import LEAGUES, MATCHES, PLAYERS, REGISTRARS, VERSION, Away, MachineLogs
from turnstile.durable.log import begin, draft
from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import Log
from turnstile.kernel.values import Event, Instant, LogId
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.local.machine import LocalMachine
from turnstile.league.referee.machine import new
from turnstile.store.log import Entry

NOON = Instant(1_800_000_000_000)
NIGHT = 36_000_000  # milliseconds for which an agent was not running
ENTRANTS = (
    Entrant("Ana", lambda question: "even"),
    Entrant("Bo", lambda question: "odd"),
    Entrant("Cy", lambda question: None),  # never decides: its countdowns run out
)


def league_logs() -> Iterator[tuple[str, tuple[Entry, ...]]]:
    """The file and the entries of each log."""
    league = LocalLeague(ENTRANTS, Seed("golden"), referees=1)
    (referee,), players = league.referees, league.players
    referee.logs = {}
    machines: dict[str, tuple[MachineLogs[Any], LocalMachine[Any]]] = {
        "manager": (LEAGUES, league.manager.machine),
        "registrar": (REGISTRARS, referee.registrar),
        **{f"player-{number}": (PLAYERS, player.machine) for number, player in enumerate(players, 1)},
    }
    starts = {name: machine.state for name, (_, machine) in machines.items()}
    for _, machine in machines.values():
        machine.log = []
    for _ in league.run():
        pass
    for name, (kind, machine) in machines.items():
        assert machine.log is not None
        yield f"{name}-v{VERSION}.jsonl", _write(kind, starts[name], machine.log)
    for match, log in referee.logs.items():
        yield f"match-{match}-v{VERSION}.jsonl", _write(MATCHES, new(referee.id), log)


def _write(kind: MachineLogs[Any], start: Any, log: Log) -> tuple[Entry, ...]:
    """The entries of a machine. After half of its events its agent was not running for a night."""
    name = LogId("golden")
    first, kept = begin(kind, name, kind.write_header(start, 1.0, None), NOON)
    entries, away = [first], 0
    for number, (at, event) in enumerate(log):
        happened: list[tuple[int, Event]] = [(at, event)]
        if number == len(log) // 2 and kept.state.timed.timers:
            away = NIGHT
            happened.insert(0, (kept.state.changed - NOON, Away(milliseconds=NIGHT)))
        for time, each in happened:
            when = Instant(NOON + time + away)
            step = kind.step(kept.state, each, when)
            assert not isinstance(step, Rejection), (each, step)
            commit, kept = draft(kind, name, kept, each, when, step.state)
            entries.append(commit.entry)
    return tuple(entries)
