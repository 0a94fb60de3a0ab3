"""`turnstile serve` as a program: it starts, serves, stops cleanly, and refuses what is unsafe."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from turnstile.cli.main import run


def test_U10_unsafe_settings_are_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--host", "0.0.0.0"]) == 2  # noqa: S104
    assert "Unsafe settings" in capsys.readouterr().err


def test_a_setting_that_is_wrong_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", "many"]) == 2
    assert "Invalid setting" in capsys.readouterr().err


def test_the_help_names_every_flag_with_its_variable(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--help"]) == 0
    told = capsys.readouterr().out
    assert "--public-url" in told
    assert "$TURNSTILE_PUBLIC_URL" in told


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_server_starts_serves_and_stops_on_a_signal(tmp_path: Path, number: signal.Signals, status: int) -> None:
    command = [sys.executable, "-m", "turnstile", "serve", "--port", "0", "--operations-port", "0"]
    store = ["--store", str(tmp_path / "t.db")]
    with subprocess.Popen([*command, *store], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url, operations = re.findall(r"http://[0-9.:]+", server.stdout.readline())
        with urllib.request.urlopen(f"{url}/api/games") as answer:  # noqa: S310
            assert {game["name"] for game in json.load(answer)["games"]} >= {"e-card", "66"}
        with urllib.request.urlopen(f"{operations}/readyz") as answer:  # noqa: S310
            assert answer.read() == b"ready\n"
        server.send_signal(number)
        assert server.wait(20) == status


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        flags = ["--port", "0", "--operations-port", str(port), "--store", str(tmp_path / "t.db")]
        ran = subprocess.run([sys.executable, "-m", "turnstile", "serve", *flags], capture_output=True, text=True)
    assert ran.stderr == f"turnstile: 127.0.0.1:{port} cannot be listened on: Address already in use.\n"
    assert ran.returncode == 2
