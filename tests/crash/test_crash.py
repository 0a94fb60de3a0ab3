"""A few moments of each kind; `make torture` tries them all. See `python -m tests.crash`."""

import subprocess
import sys

import pytest

from tests.crash.shim import Mode


def crash(*arguments: str, torture: bool, every: int) -> None:
    command = [sys.executable, "-m", "tests.crash", *arguments, "--every", "1" if torture else str(every)]
    ended = subprocess.run(command, check=False, text=True, stdout=None if torture else subprocess.PIPE)
    assert ended.returncode == 0, ended.stdout


def test_C1_C2_C3_C9_C12_killed_at_any_write_the_store_has_what_was_answered_and_goes_on(torture: bool) -> None:
    crash(Mode.KILL, torture=torture, every=15)


def test_S7_killed_in_the_middle_of_any_write_the_store_has_what_was_answered_and_goes_on(torture: bool) -> None:
    crash(Mode.TORN, torture=torture, every=15)


def test_S1_S2_a_store_whose_disk_fails_accepts_nothing_more_and_has_what_was_answered(torture: bool) -> None:
    crash(Mode.EIO, torture=torture, every=15)


def test_S3_a_full_disk_refuses_and_goes_on_when_there_is_room(torture: bool) -> None:
    crash(Mode.FULL, torture=torture, every=15)


def test_C18_what_was_answered_survives_a_loss_of_power(torture: bool) -> None:
    crash(Mode.POWER, torture=torture, every=15)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_C18_what_was_answered_survives_when_unsynced_writes_are_torn_and_reordered(torture: bool, seed: int) -> None:
    crash(Mode.SCATTER, "--seed", str(seed), torture=torture, every=37)


@pytest.mark.parametrize("mode", [Mode.KILL, Mode.SCATTER])
def test_C13_ten_crashes_in_a_row_end_in_the_same_state(torture: bool, mode: Mode) -> None:
    crash(mode, "--times", "10", torture=torture, every=45)


def test_C18_this_test_can_see_syncing_less_loses_what_was_answered() -> None:
    command = [sys.executable, "-m", "tests.crash", Mode.POWER, "--normal", "--every", "40"]
    ended = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE)
    assert ended.returncode == 1
    assert "answers the store holds" in ended.stdout
