"""Choose who does the work, and put the results in order."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")

Work = Callable[[range], T]
"""Does one piece of work. It can be pickled: a function of a module, or a `partial` of one."""

Numbered = Generator[tuple[int, T], None, None]
"""Results, each with the number of its piece, in any order."""

LARGEST_CHUNK = 50  # a worker reports this often at least: enough for a smooth progress bar
CHUNKS_A_WORKER = 4  # at least, so that all workers are busy to the end


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does the work: processes of this machine, or the workers of a Ray cluster."""

    processes: int
    on: Literal["local", "ray"] = "local"


def chunks_of(first: int, end: int, workers: int) -> list[range]:
    """The numbers from `first` up to `end` as ranges, small enough to keep all workers busy."""
    size = max(1, min(LARGEST_CHUNK, (end - first) // (CHUNKS_A_WORKER * workers)))
    return [range(start, min(start + size, end)) for start in range(first, end, size)]


def run(work: Work[T], chunks: Sequence[range], crew: Crew) -> Generator[T, None, None]:
    """Do the work for each chunk. Yields the results in the order of the chunks.

    The caller closes the generator when it wants no more results: that ends the workers.
    """
    with closing(_start(work, chunks, crew)) as results:
        yield from _in_order(results)


def _start(work: Work[T], chunks: Sequence[range], crew: Crew) -> Numbered[T]:
    if not chunks:
        return _run_here(work, chunks)
    if crew.on == "ray":
        from turnstile.lab.jobs.ray_cluster import run_on_ray  # Ray is an extra, and takes a second to import

        return run_on_ray(work, chunks, crew.processes)
    if crew.processes == 1 or len(chunks) == 1:
        return _run_here(work, chunks)
    from turnstile.lab.jobs.processes import run_in_processes

    return run_in_processes(work, chunks, crew.processes)


def _run_here(work: Work[T], chunks: Iterable[range]) -> Numbered[T]:
    for number, chunk in enumerate(chunks):
        yield number, work(chunk)


def _in_order(results: Numbered[T]) -> Iterator[T]:
    early: dict[int, T] = {}
    wanted = 0
    for number, result in results:
        early[number] = result
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1
