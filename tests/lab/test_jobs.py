"""Pieces of work: done once each, in order, whatever dies."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from threading import Timer
from threading import enumerate as enumerate_threads
from time import monotonic, sleep

import pytest
import ray

from turnstile.lab.jobs import Crew, WorkersLost, processes, ray_cluster, run
from turnstile.lab.jobs.pace import Pace
from turnstile.lab.jobs.processes import run_in_processes


def squares(numbers: range) -> list[int]:
    return [number**2 for number in numbers]


def squares_after_a_death(mark: Path, numbers: range) -> list[int]:
    """The first time that 7 is among the numbers, the process dies. The first chunk is the slowest."""
    if 7 in numbers and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    sleep(0.05 if 3 in numbers else 0)
    return squares(numbers)


def death(numbers: range) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


NUMBERS = range(3, 23)
ROOT = str(Path(__file__).parent.parent.parent)


def test_results_come_in_order_and_the_work_of_a_dead_process_is_done_again(tmp_path: Path) -> None:
    mark = tmp_path / "died"
    results = list(run(partial(squares_after_a_death, mark), NUMBERS, Crew(2)))
    assert [number for result in results for number in result] == squares(NUMBERS)
    assert mark.exists()
    assert [number for result in run(squares, NUMBERS, Crew(1)) for number in result] == squares(NUMBERS)


def test_nothing_of_a_pool_is_left_when_its_work_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of Python wakes a thread that is left. If it is just closing, a traceback follows the results."""
    monkeypatch.setattr(processes, "ENDING_SECONDS", 0.05)
    before = set(enumerate_threads())
    assert len(list(run_in_processes(squares, iter([range(3), range(3, 6)]), 2))) == 2
    assert set(enumerate_threads()) == before
    stopped = run_in_processes(partial(one_is_slow, tmp_path / "mark"), iter([range(1), range(1, 2)]), 2)
    next(stopped)
    stopped.close()
    assert set(enumerate_threads()) == before
    with pytest.raises(WorkersLost):
        list(run_in_processes(death, iter([range(3)]), 2))
    assert set(enumerate_threads()) == before


def test_processes_that_die_again_and_again_end_the_work_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_LOSSES", 2)
    with pytest.raises(WorkersLost, match="ended 2 times without a result"):
        list(run(death, NUMBERS, Crew(2)))


def test_a_caller_that_wants_no_more_results_does_not_wait_for_a_slow_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within this test's time limit: the chunk would take a minute."""
    monkeypatch.setattr(processes, "ENDING_SECONDS", 0.05)
    results = run_in_processes(partial(one_is_slow, tmp_path / "mark"), iter([range(1), range(1, 2)]), 2)
    began = monotonic()
    assert next(results) == (0, [0])
    results.close()
    assert monotonic() - began < 40


def test_ctrl_c_while_the_work_is_being_ended_ends_it_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "ENDING_SECONDS", 50)
    chunks = iter([range(number, number + 1) for number in range(9)])  # more than the workers take
    results = run_in_processes(partial(one_is_slow, tmp_path / "mark"), chunks, 2)
    number, result = next(results)  # any quick chunk: several may have ended before this process looked
    assert result == [number]
    began = monotonic()
    again = Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    again.start()
    results.close()
    assert 0.1 < monotonic() - began < 20
    again.join()


def one_is_slow(mark: Path, numbers: range) -> list[int]:
    """The second chunk is slow, and the first one ends only when the second has begun."""
    if 1 in numbers:
        mark.touch()
        sleep(60)
    while not mark.exists():
        sleep(0.01)
    return list(numbers)


def test_workers_end_with_the_main_process_however_it_ends(tmp_path: Path) -> None:
    lines = "from tests.lab.test_jobs import *\nif __name__ == '__main__': list(run(sign_and_wait, range(9), Crew(2)))"
    (tmp_path / "main.py").write_text(lines)
    main = subprocess.Popen([sys.executable, tmp_path / "main.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": ROOT})
    while len(workers := list(tmp_path.glob("*.worker"))) < 2:
        assert main.poll() is None
        sleep(0.02)
    main.kill()
    main.wait()
    end = monotonic() + 20
    while any(Path("/proc", worker.stem, "cwd").exists() for worker in workers):  # a process that has ended has none
        assert monotonic() < end, "the workers run on"
        sleep(0.02)


def sign_and_wait(numbers: range) -> None:
    Path(f"{os.getpid()}.worker").touch()
    sleep(60)


def sizes(numbers: range, workers: int, seconds_each: float) -> list[int]:
    """The sizes of all chunks, when each number takes so long."""
    pace, found = Pace(numbers, workers), []
    for chunk in pace.chunks():
        found.append(len(chunk))
        pace.adapt(len(chunk), seconds_each * len(chunk))
    assert sum(found) == len(numbers)
    return found


def test_chunks_grow_to_half_a_second_and_shrink_towards_the_end() -> None:
    assert sizes(range(7, 1007), 1, 0.001)[:8] == [1, 2, 4, 8, 16, 32, 50, 50]
    assert sizes(range(1000), 1, 0.1)[:6] == [1, 2, 4, 5, 5, 5]
    assert set(sizes(range(100), 2, 30.0)) == {1}
    assert sizes(range(1000), 2, 0.0)[-4:] == [1, 1, 1, 1]
    assert sizes(range(0), 2, 1.0) == []


# a cluster


class LostCluster:
    """Stands for Ray when its machines have ended. To end the real one takes half a minute, and not always succeeds."""

    exceptions = ray.exceptions

    def get(self, reference: object) -> object:
        raise ray.exceptions.NodeDiedError("The machine has died.\nAnd more about it.")

    def wait(self, references: list[object], num_returns: int, timeout: float) -> tuple[list[object], list[object]]:
        return [], references

    def nodes(self) -> list[dict[str, object]]:
        return [{"Alive": False}, {"Alive": False}]


def test_a_cluster_whose_machine_has_ended_is_told_in_a_sentence() -> None:
    with pytest.raises(WorkersLost, match=r"^Ray cannot go on: The machine has died\.$"):
        ray_cluster._result(LostCluster(), "a piece of work")


def test_no_one_waits_for_work_when_no_machine_is_left_to_do_it() -> None:
    with pytest.raises(WorkersLost, match=r"^Ray cannot go on: no machine of the cluster is left\.$"):
        ray_cluster._wait_for_some(LostCluster(), ["a piece of work"])
