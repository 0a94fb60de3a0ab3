"""What a strategy prints beside its choice: how much of it is kept, and how a cut is marked."""

MOST_BYTES = 16_384
MOST_LINES = 100
CUT = f"[cut here: the first {MOST_BYTES // 1024} kB and {MOST_LINES} lines of a choice are kept]"


def kept_output(printed: bytes) -> str:
    """The lines of `printed` that are kept, without the empty ones; a last line marks a cut.

    A caller that stops reading at some point reads `MOST_BYTES + 1` bytes at least, so that a cut is seen here.
    """
    lines = [line for line in printed[:MOST_BYTES].decode(errors="replace").splitlines() if line.strip()]
    is_cut = len(printed) > MOST_BYTES or len(lines) > MOST_LINES
    return "".join(f"{line}\n" for line in [*lines[:MOST_LINES], *([CUT] if is_cut else [])])
