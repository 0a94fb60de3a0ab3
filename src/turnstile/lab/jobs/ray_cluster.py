"""Work on a Ray cluster: that of RAY_ADDRESS, or one that is started on this machine and ended with the work.

Ray is an extra, `turnstile[ray]`. When a worker dies, Ray does its work again on another one.
"""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from turnstile.lab.jobs.failures import ADVICE, MOST_LOSSES, RayUnavailable, WorkersLost
from turnstile.lab.jobs.interrupts import noted_interrupts
from turnstile.lab.jobs.jobs import Numbered, Work

ADDRESS = "RAY_ADDRESS"
THIS_MACHINE = "127.0.0.1"
CONNECT_SECONDS = 5.0
LOOK_SECONDS = 10.0  # without a result, after which it is checked that the cluster is still there
LEAST_STORE_BYTES = 100_000_000  # results are small; Ray wants 75 MB at least
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}

T = TypeVar("T")


def run_on_ray(work: Work[T], chunks: Iterator[range], workers: int) -> Numbered[T]:
    """Do the work on Ray, with at least this many workers where a cluster is started here.

    Raises `RayUnavailable` and `WorkersLost`. What the work raises, this raises.
    """
    ray = _import_ray()
    with _cluster(ray, workers):
        task = ray.remote(num_cpus=1, max_retries=MOST_LOSSES)(_task(work))
        most_waiting = 2 * max(1, int(ray.cluster_resources().get("CPU", workers)))
        numbers: dict[Any, int] = {}
        waiting = iter(enumerate(chunks))
        try:
            while True:
                for number, chunk in islice(waiting, most_waiting - len(numbers)):
                    numbers[task.remote(chunk)] = number
                if not numbers:
                    return
                for reference in _wait_for_some(ray, list(numbers)):
                    yield numbers.pop(reference), _result(ray, reference)
        finally:  # a caller that stops listening stops the work, too
            for reference in numbers:
                ray.cancel(reference, force=True)


def _task(work: Work[T]) -> Work[T]:
    """The work as a plain function: Ray takes no `partial`, and shows its name."""

    def play_chunk(chunk: range) -> T:
        return work(chunk)

    return play_chunk


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report to its makers
    try:
        import ray
    except ImportError:
        raise RayUnavailable("Ray is not installed. Install it with: pip install 'turnstile[ray]'.") from None
    with suppress(ImportError):  # several threads of Ray would import it at the same moment, which can fail
        import_module("ray._common.pydantic_compat")
    return ray


@contextmanager
def _cluster(ray: Any, workers: int) -> Iterator[None]:
    """A connection to a cluster. One that this program is already connected to stays connected."""
    if ray.is_initialized():
        yield
        return
    if address := os.environ.get(ADDRESS):
        _refuse_closed_port(address)
        try:
            ray.init(**QUIET)
        except (ConnectionError, RuntimeError, ValueError) as fault:
            raise RayUnavailable(f"{_no_cluster(address, fault)} If it wants a token, set RAY_AUTH_TOKEN.") from None
        with _shutting_down(ray):
            yield
        return
    temporary = tempfile.TemporaryDirectory(prefix="turnstile-ray-", ignore_cleanup_errors=True)
    with temporary as folder, _shutting_down(ray):
        _start_here(ray, workers, folder)
        yield


def _start_here(ray: Any, workers: int, folder: str) -> None:
    """Start Ray on this machine. What it raises when it cannot has no type of its own."""
    try:
        ray.init(
            address="local",
            num_cpus=workers,
            object_store_memory=LEAST_STORE_BYTES,
            _node_ip_address=THIS_MACHINE,
            _temp_dir=folder,
            **QUIET,
        )
    except Exception as fault:
        raise RayUnavailable(f"Ray cannot be started on this machine: {str(fault).rstrip('.')}.") from None


def _refuse_closed_port(address: str) -> None:
    """Ray would try for minutes to reach a port where nothing listens. Addresses in other forms are left to Ray."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as fault:
        raise RayUnavailable(_no_cluster(address, fault.strerror or fault)) from None


def _no_cluster(address: str, why: object) -> str:
    return f"There is no Ray cluster at {ADDRESS}={address}: {str(why).rstrip('.')}."


@contextmanager
def _shutting_down(ray: Any) -> Iterator[None]:
    try:
        yield
    finally:
        with noted_interrupts():  # it takes a second or two, and leaves processes behind if it is interrupted
            ray.shutdown()


def _wait_for_some(ray: Any, references: list[Any]) -> list[Any]:
    """Those of the pieces of work that are done, some at least. Raises `WorkersLost` if no machine is left to do them.

    Ray itself may wait without end for a worker whose machine has ended.
    """
    while True:
        done, _ = ray.wait(references, num_returns=1, timeout=LOOK_SECONDS)
        if done:
            return list(done)
        if not any(node["Alive"] for node in ray.nodes()):
            raise WorkersLost("Ray cannot go on: no machine of the cluster is left.")


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as fault:
        raise fault.cause from None
    except ray.exceptions.WorkerCrashedError:
        raise WorkersLost(f"A piece of work has lost its Ray worker {MOST_LOSSES + 1} times. {ADVICE}") from None
    except ray.exceptions.RayError as fault:  # such as a node without memory, or a cluster that was stopped
        why = str(fault).strip().partition("\n")[0].rstrip(".")
        raise WorkersLost(f"Ray cannot go on: {why or type(fault).__name__}.") from None
