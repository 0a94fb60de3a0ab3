"""The file that a simulation writes while it runs: results as lines of JSON, or decisions as Parquet.

The processes that play the matches make the content, and this one only puts it together, in the order of the matches.
So the same seed gives the same bytes with any number of processes, and few matches are in memory at a time.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from turnstile.durable.files import open_draft
from turnstile.lab.collectors import Output
from turnstile.lab.file_faults import name_in_faults
from turnstile.lab.results import Header, write_lines

BYTES_IN_ROW_GROUP = 32 * 2**20  # of Arrow's memory: a reader and the writer need a few times as much


class Writer(Protocol):
    """Puts the content into the file."""

    matches: int
    """How many are in the file."""

    def write(self, content: bytes) -> None: ...
    def close(self) -> None: ...
    def abandon(self) -> None:
        """Write nothing more: the file will be removed."""


@contextmanager
def open_output(path: Path, output: Output, header: Header) -> Iterator[Writer]:
    """A file to write to. It appears under its name when the context ends, with all that was written by then."""
    with name_in_faults(path), open_draft(path) as file:
        writer = ResultsWriter(file, header) if output is Output.RESULTS else ParquetWriter(file, output, header)
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.abandon()
            raise


class ResultsWriter:
    def __init__(self, file: IO[bytes], header: Header) -> None:
        self.matches = 0
        self._file = file
        file.write(write_lines([header]))

    def write(self, content: bytes) -> None:
        self.matches += content.count(b"\n")
        self._file.write(content)

    def close(self) -> None:
        self._file.flush()

    def abandon(self) -> None:
        """Nothing waits to be written."""


class ParquetWriter:
    """Writes decisions. A row group ends with the match that makes it large enough: only the content decides where."""

    def __init__(self, file: IO[bytes], output: Output, header: Header) -> None:
        from pyarrow import parquet

        from turnstile.lab.decisions import schema

        self.matches = 0
        self._schema = schema(header, with_states=output is Output.DECISIONS_AND_STATES)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd", write_statistics=["match"])
        self._waiting: list[Any] = []
        self._waiting_bytes = 0

    def write(self, content: bytes) -> None:
        from turnstile.lab.decisions import read_batches

        for batch in read_batches(content):
            self.matches += 1
            self._waiting.append(batch)
            self._waiting_bytes += batch.nbytes
            if self._waiting_bytes >= BYTES_IN_ROW_GROUP:
                self._write_row_group()

    def close(self) -> None:
        if self._waiting:
            self._write_row_group()
        self._writer.add_key_value_metadata({"turnstile.matches": str(self.matches)})
        self._writer.close()

    def abandon(self) -> None:
        with suppress(Exception):  # such as a full disk
            self._writer.close()
        self._writer.is_open = False  # otherwise it complains, when it is forgotten, that its file is closed

    def _write_row_group(self) -> None:
        import pyarrow as pa

        rows = pa.Table.from_batches(self._waiting).unify_dictionaries().cast(self._schema)
        self._writer.write_table(rows, row_group_size=rows.num_rows)
        self._waiting, self._waiting_bytes = [], 0
