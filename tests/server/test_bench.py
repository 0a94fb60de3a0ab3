"""The load generator runs on every store, and finds nothing wrong. Nothing here asks how fast anything is."""

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.uncounted


def measured(*options: str) -> list[Any]:
    """The figures of a run of our own."""
    done = bench("--no-boardgame", *options)
    return [check(figures) for figures in json.loads(done.stdout)]


def bench(*options: str) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-m", "bench.server", "--tables", "2", "--seconds", "0.5", "--json"]
    return subprocess.run([*words, *options], capture_output=True, check=True)


def check(figures: Any) -> Any:
    assert figures["moves"] > 0
    assert figures["checked_updates"] > figures["moves"]
    assert figures["to_mover"]["p50"] > 0
    assert figures["server_cpu"] > 0
    return figures


def test_a_run_on_sqlite_is_measured_and_checked() -> None:
    (figures,) = measured("--store", "sqlite", "--game", "up-down", "--players", "4")
    assert figures["players"] == 4


def test_a_run_on_two_processes_of_postgresql_is_measured_and_checked() -> None:
    (figures,) = measured("--store", "postgresql", "--processes", "2")
    assert figures["processes"] == 2
    assert figures["database_cpu"] > 0


def test_a_run_beside_an_abuser_slow_watchers_and_boardgame_io_is_measured_and_checked() -> None:
    done = bench("--store", "sqlite", "--rate", "50", "--abuser", "1000", "--watchers", "5")
    quiet, disturbed, *others = json.loads(done.stdout)
    check(quiet)
    check(disturbed)
    assert quiet["disturbance"] == ""
    assert disturbed["disturbance"] == "(abuser 1000/s, 5 slow watchers)"
    assert disturbed["abuser_sent"] > 0
    if others or not done.stderr:
        assert [other["contestant"] for other in others] == ["boardgame.io in memory", "boardgame.io in files"]
        assert others[0]["moves"] > 0
        assert others[0]["server_cpu"] > 0
    else:
        assert b"boardgame.io" in done.stderr, "it says why it was not measured: there is no node, or no such package"
