"""Logs of tables that were written once and are never edited: every entry still leads to the state it led to.

A change that moves one of them changes what is stored at our users': it raises the version of tables, or of the game,
and the logs of the version before stay as they are. `python -m tools.logs` wrote them.
"""

from pathlib import Path

import pytest

from tools.league_logs import league_logs
from tools.logs import FOLDER, LEAGUES, SCENARIOS, file_of
from turnstile.cli.matches.stores import KINDS
from turnstile.durable.log import follow, replay, tag_of
from turnstile.durable.timed_log import AWAY
from turnstile.durable.upkeep import load_entries, save_entries
from turnstile.host.logs import TABLES, read_header
from turnstile.host.records import read_through, record_of
from turnstile.kernel.record import Record
from turnstile.kernel.values import LogId
from turnstile.registry import names
from turnstile.store.log import NO_FINGERPRINT
from turnstile.store.protocol import Saved
from turnstile.table.machine import Table
from turnstile.table.values import (
    Acknowledge,
    AddWords,
    Halt,
    How,
    Phase,
    Rematch,
    RematchFailed,
    Resign,
    Resume,
    Return,
    Ring,
    Succeeded,
)

GOLDEN = LogId("golden")
FILES = sorted(FOLDER.glob("*.jsonl"))


def log_in(file: Path) -> Saved:
    header, *entries = load_entries(file.read_bytes())
    return Saved(header, None, tuple(entries))


def state_at_the_end(file: Path) -> Table:
    return replay(TABLES, GOLDEN, log_in(file)).state


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_U1_every_entry_of_a_stored_log_leads_to_the_same_fingerprint(file: Path) -> None:
    log = log_in(file)
    steps = list(read_through(GOLDEN, log))
    assert len(steps) == len(log.entries)
    assert steps[-1][1].link == log.entries[-1].link
    assert NO_FINGERPRINT not in [entry.state for entry in log.entries]
    assert isinstance(record_of(GOLDEN, log), Record)
    assert save_entries([log.header, *log.entries]) == file.read_bytes()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_U1_a_log_is_of_the_version_its_name_says(file: Path) -> None:
    header = read_header(GOLDEN, log_in(file).header.event)
    assert file.stem.startswith(f"{header.game}-v{header.game_version}-")


def test_every_installed_game_has_logs() -> None:
    assert {read_header(GOLDEN, log_in(file).header.event).game for file in FILES} == set(names())


def test_every_scenario_was_written() -> None:
    assert {file_of(scenario, scenario()) for scenario in SCENARIOS} <= {file.name for file in FILES}


def test_the_logs_have_everything_that_can_happen_at_a_table() -> None:
    happened = {type(event) for file in FILES for _, _, event in read_through(GOLDEN, log_in(file))}
    assert {Acknowledge, AddWords, Halt, Rematch, RematchFailed, Resign, Resume, Return, Ring, Succeeded} <= happened
    ends = {result.how for file in FILES if (result := state_at_the_end(file).result)}
    assert ends == set(How)
    assert {state_at_the_end(file).phase for file in FILES} == {Phase.FINISHED, Phase.CLOSED}


# the machines of the league

LEAGUE_FILES = sorted(LEAGUES.glob("*.jsonl"))


@pytest.mark.parametrize("file", LEAGUE_FILES, ids=lambda file: file.stem)
def test_U1_every_entry_of_a_stored_log_of_the_league_leads_to_the_same_fingerprint(file: Path) -> None:
    log = log_in(file)
    kind = KINDS[tag_of(log.header)]
    assert NO_FINGERPRINT not in [entry.state for entry in log.entries]
    kept = replay(kind, GOLDEN, Saved(log.header, None, ()))
    for found in log.entries:
        kept = follow(kind, GOLDEN, kept, [found])
    assert kept.link == log.entries[-1].link
    assert replay(kind, GOLDEN, log) == kept
    assert save_entries([log.header, *log.entries]) == file.read_bytes()


def test_every_machine_of_the_league_has_logs_with_timers_and_a_time_away() -> None:
    logs = [log_in(file) for file in LEAGUE_FILES]
    assert {tag_of(log.header) for log in logs} == set(KINDS) - {TABLES.tag}
    events = [entry.event for log in logs for entry in log.entries]
    assert any(event.startswith(AWAY) for event in events)
    assert {file for file, _ in league_logs()} <= {file.name for file in LEAGUE_FILES}
