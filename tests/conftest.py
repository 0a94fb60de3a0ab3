import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import hypothesis.core
import pytest
from hypothesis.vendor import pretty

HERE = Path(__file__).parent
UNCOUNTED = (
    "agents/",
    "bots/",
    "client/",
    "cli/test_step_spoiled",
    "cli/test_terminals",
    "crash/",
    "host/",
    "net/",
    "server/",
    "store/",
    "world/",
)
"""Tests that go through the same lines a million times. Counting lines makes that three times as slow, and what they
reach is reached by others, too: the core is held to 100 % without them. Some elsewhere say so themselves."""


def pytest_configure() -> None:
    """Let tests interrupt programs that they start: in the background a run ignores Ctrl-C, and so do its children.

    And let a property that fails print its example.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # schemathesis puts in a printer that prints nothing
    setattr(hypothesis.core, "RepresentationPrinter", pretty.RepresentationPrinter)  # noqa: B010


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(HERE).as_posix().startswith(UNCOUNTED):
            item.add_marker(pytest.mark.uncounted)


def pytest_collection_finish() -> None:
    """Leave the modules and the tests out of garbage collection from here on: they stay until the end anyway."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Whoever counts lines looks away meanwhile. (pytest-cov's own `no_cover` does not speed up a distributed run.)"""
    if item.get_closest_marker("uncounted") is None:
        return (yield)
    counting = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(counting)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI everything must be there: what is skipped has failed."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--torture", action="store_true", help="try every moment instead of a few of them; takes minutes")


@pytest.fixture(scope="session")
def torture(request: pytest.FixtureRequest) -> bool:
    """Whether to try everything."""
    return bool(request.config.getoption("--torture"))


@pytest.fixture(scope="session")
def shared_by_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run, the same one in every worker process."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
