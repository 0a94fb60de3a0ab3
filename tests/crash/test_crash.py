"""A few moments of each kind; `make torture` tries them all. See `python -m tests.crash`."""

import subprocess
import sys

import pytest

from tests.crash.shim import Mode


def crash(*arguments: str, torture: bool, every: int, at_worst: int = 1) -> None:
    """Every so-manieth moment; when it is to be torture, every single one, or every `at_worst`."""
    command = [sys.executable, "-m", "tests.crash", *arguments, "--every", str(at_worst if torture else every)]
    ended = subprocess.run(command, check=False, text=True, stdout=None if torture else subprocess.PIPE)
    assert ended.returncode == 0, ended.stdout


def test_C1_C2_C3_C9_C12_killed_at_any_write_the_store_has_what_was_answered_and_goes_on(torture: bool) -> None:
    crash(Mode.KILL, "--what", "store", torture=torture, every=15)


def test_S7_killed_in_the_middle_of_any_write_the_store_has_what_was_answered_and_goes_on(torture: bool) -> None:
    crash(Mode.TORN, "--what", "store", torture=torture, every=15)


def test_S1_S2_a_store_whose_disk_fails_accepts_nothing_more_and_has_what_was_answered(torture: bool) -> None:
    crash(Mode.EIO, "--what", "store", torture=torture, every=15)


def test_S3_a_full_disk_refuses_and_goes_on_when_there_is_room(torture: bool) -> None:
    crash(Mode.FULL, "--what", "store", torture=torture, every=15)


def test_C18_what_was_answered_survives_a_loss_of_power(torture: bool) -> None:
    crash(Mode.POWER, "--what", "store", torture=torture, every=15)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_C18_what_was_answered_survives_when_unsynced_writes_are_torn_and_reordered(torture: bool, seed: int) -> None:
    crash(Mode.SCATTER, "--what", "store", "--seed", str(seed), torture=torture, every=37)


@pytest.mark.parametrize("mode", [Mode.KILL, Mode.SCATTER])
def test_C13_ten_crashes_in_a_row_end_in_the_same_state(torture: bool, mode: Mode) -> None:
    crash(mode, "--what", "store", "--times", "10", torture=torture, every=45)


def test_C18_this_test_can_see_syncing_less_loses_what_was_answered() -> None:
    command = [sys.executable, "-m", "tests.crash", Mode.POWER, "--what", "store", "--normal", "--every", "40"]
    ended = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE)
    assert ended.returncode == 1
    assert "answers the store holds" in ended.stdout


# a host on the store: tables are opened and played at, deadlines pass, matches end and are followed by others


@pytest.mark.parametrize("mode", [Mode.KILL, Mode.TORN])
def test_C1_C2_C3_C4_C5_C6_C7_C8_C9_a_host_killed_at_any_write_has_told_and_answered_nothing_in_vain(
    torture: bool, mode: Mode
) -> None:
    crash(mode, "--what", "host", torture=torture, every=130)


def test_S1_C16_a_host_whose_disk_fails_ends_and_the_next_one_has_all_that_was_told(torture: bool) -> None:
    crash(Mode.EIO, "--what", "host", torture=torture, every=130)


def test_S3_a_host_on_a_full_disk_refuses_and_plays_on_when_there_is_room(torture: bool) -> None:
    crash(Mode.FULL, "--what", "host", torture=torture, every=130)


@pytest.mark.parametrize("mode", [Mode.POWER, Mode.SCATTER])
def test_C18_what_players_were_answered_and_told_survives_a_loss_of_power(torture: bool, mode: Mode) -> None:
    crash(mode, "--what", "host", torture=torture, every=130)


def test_C13_ten_hosts_that_die_one_after_the_other_leave_an_evening_that_can_be_played_to_its_end(
    torture: bool,
) -> None:
    crash(Mode.KILL, "--what", "host", "--times", "10", "--first", "30", torture=torture, every=300, at_worst=20)


def test_C18_this_test_can_see_a_host_that_syncs_less_forgets_what_it_told() -> None:
    command = [sys.executable, "-m", "tests.crash", Mode.POWER, "--what", "host", "--normal", "--every", "100"]
    ended = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE)
    assert ended.returncode == 1
    assert "lost" in ended.stdout
