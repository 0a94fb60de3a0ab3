"""How large a chunk is: about half a second of work, so that progress shows, and little is lost by an interruption."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

LARGEST_CHUNK = 50
CHUNK_SECONDS = 0.5
CHUNKS_A_WORKER = 4  # at least, so that all workers are busy to the end


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """The result of a chunk, how many numbers it had, and how long it took."""

    result: T
    count: int
    seconds: float


def do_timed(work: Callable[[range], T], chunk: range) -> Timed[T]:
    """Do the work, and measure the time."""
    began = perf_counter()
    return Timed(work(chunk), len(chunk), perf_counter() - began)


class Pace:
    """Cuts numbers into chunks while the work goes on. It begins with chunks of one."""

    def __init__(self, numbers: range, workers: int, largest: int = LARGEST_CHUNK) -> None:
        self.numbers, self.workers, self.largest = numbers, workers, largest
        self.size = 1

    def chunks(self) -> Iterator[range]:
        """All numbers, chunk by chunk."""
        start, end = self.numbers.start, self.numbers.stop
        while start < end:
            size = max(1, min(self.size, (end - start) // (CHUNKS_A_WORKER * self.workers)))
            yield range(start, start + size)
            start += size

    def adapt(self, count: int, seconds: float) -> None:
        """A chunk of so many numbers took so long."""
        fitting = self.largest if seconds <= 0 else int(count * CHUNK_SECONDS / seconds)
        self.size = max(1, min(self.largest, fitting, 2 * self.size))
