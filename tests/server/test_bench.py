"""The load generator runs on every store, and finds nothing wrong. Nothing here asks how fast anything is."""

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.uncounted


def measured(*options: str) -> list[Any]:
    words = [sys.executable, "-m", "bench.server", "--tables", "2", "--seconds", "0.5", "--json"]
    done = subprocess.run([*words, "--no-boardgame", *options], capture_output=True, check=True)
    found = json.loads(done.stdout)
    for figures in found:
        assert figures["moves"] > 0
        assert figures["checked_updates"] > figures["moves"]
        assert figures["to_mover"]["p50"] > 0
        assert figures["server_cpu"] > 0
    return list(found)


def test_a_run_on_sqlite_is_measured_and_checked() -> None:
    (figures,) = measured("--store", "sqlite", "--game", "up-down", "--players", "4")
    assert figures["players"] == 4


def test_a_run_on_two_processes_of_postgresql_is_measured_and_checked() -> None:
    (figures,) = measured("--store", "postgresql", "--processes", "2")
    assert figures["processes"] == 2
    assert figures["database_cpu"] > 0


def test_a_run_beside_an_abuser_and_slow_watchers_is_measured_and_checked() -> None:
    quiet, disturbed = measured("--store", "sqlite", "--rate", "50", "--abuser", "1000", "--watchers", "5")
    assert quiet["disturbance"] == ""
    assert disturbed["disturbance"] == "(abuser 1000/s, 5 slow watchers)"
    assert disturbed["abuser_sent"] > 300
