"""Pieces of work: done once each, in order, whatever dies."""

import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import sleep

import pytest

from turnstile.lab.jobs import Crew, WorkersLost, chunks_of, processes, run


def squares(numbers: range) -> list[int]:
    return [number**2 for number in numbers]


def squares_after_a_death(mark: Path, numbers: range) -> list[int]:
    """The first time that 7 is among the numbers, the process dies. The first chunk is the slowest."""
    if 7 in numbers and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    sleep(0.05 if 0 in numbers else 0)
    return squares(numbers)


def death(numbers: range) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


CHUNKS = [range(start, start + 2) for start in range(0, 20, 2)]


def test_results_come_in_order_and_the_work_of_a_dead_process_is_done_again(tmp_path: Path) -> None:
    here = list(run(squares, CHUNKS, Crew(1)))
    assert here == [squares(chunk) for chunk in CHUNKS]
    mark = tmp_path / "died"
    assert list(run(partial(squares_after_a_death, mark), CHUNKS, Crew(2))) == here
    assert mark.exists()


def test_processes_that_die_again_and_again_end_the_work_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_LOSSES", 2)
    with pytest.raises(WorkersLost, match="ended 2 times without a result"):
        list(run(death, CHUNKS, Crew(2)))


@pytest.mark.parametrize(
    ("first", "end", "workers", "sizes"),
    [(0, 10, 1, [2] * 5), (0, 3, 4, [1] * 3), (0, 1000, 2, [50] * 20), (95, 100, 1, [1] * 5), (5, 5, 2, [])],
)
def test_chunks_are_small_enough_for_all_workers(first: int, end: int, workers: int, sizes: Sequence[int]) -> None:
    chunks = chunks_of(first, end, workers)
    assert [len(chunk) for chunk in chunks] == sizes
    assert [number for chunk in chunks for number in chunk] == list(range(first, end))
