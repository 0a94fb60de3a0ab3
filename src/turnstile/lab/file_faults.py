"""Faults of the file system, with the file that they are about."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def name_in_faults(path: Path) -> Iterator[None]:
    """A fault of the file system names the file: a full disk does not by itself."""
    try:
        yield
    except OSError as fault:
        if fault.filename is not None or fault.errno is None:
            raise
        raise OSError(fault.errno, os.strerror(fault.errno), str(path)) from fault
