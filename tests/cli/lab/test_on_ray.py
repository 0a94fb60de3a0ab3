"""Matches on Ray: on a cluster that is started here, with a worker that is killed half-way."""

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from tests.lab import own_bots

FOLDERS = "turnstile-ray-*"


def processes_with(text: str) -> list[int]:
    """The processes with this text in their command lines."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if text.encode() in words and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def test_a_killed_worker_changes_nothing_and_nothing_is_left_behind(
    turnstile: Turnstile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file as from one process, and no process and no folder of Ray's afterwards."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("DIES_ONCE", str(tmp_path / "died"))
    before = set(Path(tempfile.gettempdir()).glob(FOLDERS))
    plan = ("tournament", "e-card", "--bots", f"{own_bots.HERE}:dies_once,random", "--matches", 60, "--seed", "7")
    on_ray = turnstile(*plan, "--on", "ray", "--processes", 3, "--out", tmp_path / "ray.jsonl", "--json")
    assert on_ray.status == 0, on_ray.err
    assert (tmp_path / "died").exists()
    here = turnstile(*plan, "--processes", 1, "--out", tmp_path / "here.jsonl", "--json")
    assert on_ray.out == here.out
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "here.jsonl").read_bytes()
    assert set(Path(tempfile.gettempdir()).glob(FOLDERS)) == before
    end = time.monotonic() + 20
    while left := processes_with("turnstile-ray-"):
        assert time.monotonic() < end, left
        time.sleep(0.1)


def test_without_the_extra_a_sentence_says_how_to_install_it(
    turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    ran = turnstile("simulate", "e-card", "-n", 2, "--on", "ray")
    assert ran.status == 2
    assert "Ray is not installed. Install it with: pip install 'turnstile[ray]'." in ran.err


def test_a_cluster_that_is_not_there_is_told_at_once(turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    ran = turnstile("simulate", "e-card", "-n", 2, "--on", "ray")
    assert ran.status == 2
    assert "There is no Ray cluster at RAY_ADDRESS=127.0.0.1:1: Connection refused." in ran.err


def test_a_ray_that_cannot_be_started_here_is_told_in_a_sentence(
    turnstile: Turnstile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray puts its sockets into a temporary folder. The name of a socket has at most 107 bytes."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    ran = turnstile("simulate", "e-card", "-n", 2, "--on", "ray")
    assert ran.status == 2
    assert "turnstile: Ray cannot be started on this machine: " in ran.err
    assert list(folder.iterdir()) == []
