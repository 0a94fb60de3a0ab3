"""What a run costs: processor time, time on the wall, or memory. A gauge lets a run happen, and says where it ended."""

import gc
import os
import pickle
import traceback
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import NamedTuple, TypeVar

T = TypeVar("T")
Run = Callable[[], object]


class Cost(NamedTuple):
    """What a run cost, by its gauge and in processor time, and where it ended."""

    amount: float
    cpu: float
    end: object


@dataclass(frozen=True, slots=True)
class Gauge:
    """A way to tell what a run costs, and in what. A thousand million of its unit are one of `whole`."""

    name: str
    unit: str
    whole: str
    measure: Callable[[Run], Cost]


def _cpu(run: Run) -> Cost:
    start = process_time_ns()
    end = run()
    spent = process_time_ns() - start
    return Cost(spent, spent, end)


def _wall(run: Run) -> Cost:
    start, start_cpu = perf_counter_ns(), process_time_ns()
    end = run()
    return Cost(perf_counter_ns() - start, process_time_ns() - start_cpu, end)


def _traced(run: Run) -> Cost:
    tracemalloc.start()
    try:
        before, start = tracemalloc.get_traced_memory()[0], process_time_ns()
        end = run()
        spent = process_time_ns() - start
        gc.collect()
        return Cost(tracemalloc.get_traced_memory()[0] - before, spent, end)
    finally:
        tracemalloc.stop()


def _resident(run: Run) -> Cost:
    """In a fork, for memory that was once taken is not always given back: it would do for the next run."""

    def measured() -> Cost:
        before, start = _resident_bytes(), process_time_ns()
        end = run()
        spent = process_time_ns() - start
        gc.collect()
        return Cost(_resident_bytes() - before, spent, end)

    return in_a_fork(measured)


def in_a_fork(work: Callable[[], T]) -> T:
    """What comes of some work that leaves no trace in this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, pickle.dumps(work()))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)  # whatever is open belongs to the parent
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    assert told, "the fork ended early; its reasons are on stderr"
    found: T = pickle.loads(told)  # noqa: S301  # our own fork wrote it
    return found


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


CPU = Gauge("CPU time", "ns", "s", _cpu)
WALL = Gauge("wall time", "ns", "s", _wall)
TRACED = Gauge("memory of objects", "bytes", "GB", _traced)
RESIDENT = Gauge("resident memory", "bytes", "GB", _resident)
