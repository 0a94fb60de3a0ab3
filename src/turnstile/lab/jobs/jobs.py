"""Choose who does the work, and put the results in order."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from turnstile.lab.jobs.pace import LARGEST_CHUNK, Pace, Timed, do_timed

T = TypeVar("T")

Work = Callable[[range], T]
"""Does one chunk of the work. It can be pickled: a function of a module, or a `partial` of one."""

Numbered = Generator[tuple[int, T], None, None]
"""Results, each with the number of its chunk, in any order."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does the work: processes of this machine, or the workers of a Ray cluster."""

    processes: int
    on: Literal["local", "ray"] = "local"


def run(work: Work[T], numbers: range, crew: Crew, largest: int = LARGEST_CHUNK) -> Generator[T, None, None]:
    """Do the work for all numbers, a chunk at a time. Yields the results in the order of the numbers.

    `largest`: how many numbers a chunk may have. The caller closes the generator when it wants no more results: that
    ends the workers.
    """
    pace = Pace(numbers, crew.processes, largest)
    is_small = len(numbers) <= 1
    with closing(_start(partial(do_timed, work), pace.chunks(), crew, is_small)) as results:
        yield from _in_order(results, pace)


def _start(
    work: Work[Timed[T]], chunks: Iterator[range], crew: Crew, is_small: bool
) -> Generator[tuple[int, Timed[T]], None, None]:
    if is_small or (crew.on == "local" and crew.processes == 1):
        return _run_here(work, chunks)
    if crew.on == "ray":
        from turnstile.lab.jobs.ray_cluster import run_on_ray  # Ray is an extra, and takes a second to import

        return run_on_ray(work, chunks, crew.processes)
    from turnstile.lab.jobs.processes import run_in_processes

    return run_in_processes(work, chunks, crew.processes)


def _run_here(work: Work[T], chunks: Iterable[range]) -> Numbered[T]:
    for number, chunk in enumerate(chunks):
        yield number, work(chunk)


def _in_order(results: Numbered[Timed[T]], pace: Pace) -> Iterator[T]:
    early: dict[int, T] = {}
    wanted = 0
    for number, timed in results:
        pace.adapt(timed.count, timed.seconds)
        early[number] = timed.result
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1
