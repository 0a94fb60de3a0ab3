"""Many seeds, in chunks that are small enough for two workers to share them evenly.

What the chunks of one group reach is collected in a folder of the whole run. The chunk that is played last looks at it:
one chunk alone is too small to reach every rare situation.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

IN_A_CHUNK = 50
"""Seeds: some seconds."""
IN_A_GROUP = 500
"""Seeds: enough to reach every rare situation."""


@dataclass(frozen=True)
class Chunk:
    """Some of the seeds from 0 to `total`."""

    first: int
    total: int

    @property
    def seeds(self) -> range:
        return range(self.first, min(self.first + IN_A_CHUNK, self.total))

    @property
    def group(self) -> range:
        start = self.first - self.first % IN_A_GROUP
        return range(start, min(start + IN_A_GROUP, self.total))


def chunks_of(total: int) -> list[Chunk]:
    return [Chunk(first, total) for first in range(0, total, IN_A_CHUNK)]


def play(chunk: Chunk, reached_in: Callable[[int], Counter[str]], must_be_reached: Sequence[str], folder: Path) -> None:
    """Play every seed of the chunk. The last chunk of a group asserts that the group reached all that it must."""
    reached: Counter[str] = Counter()
    for seed in chunk.seeds:
        reached.update(reached_in(seed))
    together = _reached_together(chunk, reached, folder / str(chunk.group.start))
    if together is None or chunk.total < IN_A_GROUP:
        return
    missed = [situation for situation in must_be_reached if not together[situation]]
    assert not missed, f"never reached with the seeds from {chunk.group.start} to {chunk.group.stop}: {missed}"


def _reached_together(chunk: Chunk, reached: Counter[str], folder: Path) -> Counter[str] | None:
    """What all chunks of a group reached; None while one is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{chunk.first}.unfinished"
    unfinished.write_text(json.dumps(reached), "utf-8")
    unfinished.rename(folder / f"{chunk.first}.json")
    paths = list(folder.glob("*.json"))
    if len(paths) < len(chunk.group[::IN_A_CHUNK]):
        return None
    return sum((Counter[str](json.loads(path.read_text("utf-8"))) for path in paths), Counter[str]())
