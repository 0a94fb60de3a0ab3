"""What a strategy prints beside its choice is kept as docs/write-a-player.md promises."""

import io
import json
from pathlib import Path

import pytest

from turnstile.agents.process.journal import Journal
from turnstile.agents.strategies.program import CUT, MOST_BYTES, MOST_LINES, kept_output

PAGE = Path(__file__).parents[3] / "docs" / "write-a-player.md"


def test_the_page_promises_what_is_kept() -> None:
    assert f"up to {MOST_BYTES // 1024} kB and {MOST_LINES} lines a choice" in PAGE.read_text()


def test_all_of_it_is_kept_up_to_the_limit_of_bytes() -> None:
    whole = "x" * (MOST_BYTES - 1) + "\n"
    assert kept_output(whole.encode()) == whole


def test_a_cut_after_so_many_bytes_is_marked() -> None:
    assert kept_output(b"x" * (MOST_BYTES + 1)) == "x" * MOST_BYTES + f"\n{CUT}\n"


def test_all_of_it_is_kept_up_to_the_limit_of_lines() -> None:
    whole = "".join(f"line {number}\n" for number in range(MOST_LINES))
    assert kept_output(whole.encode()) == whole


def test_a_cut_after_so_many_lines_is_marked() -> None:
    lines = [f"line {number}" for number in range(MOST_LINES + 1)]
    assert kept_output("\n".join(lines).encode()).splitlines() == [*lines[:-1], CUT]


def test_empty_lines_are_left_out_and_do_not_count() -> None:
    assert kept_output(b"\n\n".join([b"x"] * MOST_LINES)) == "x\n" * MOST_LINES


@pytest.mark.parametrize("as_json", [False, True])
def test_the_log_has_each_line_whole(as_json: bool) -> None:
    out = io.StringIO()
    line = "    indented, " + "why " * 1000
    Journal("P01", out, lambda: 0, as_json=as_json).strategy_output(line, "R1M1")
    (written,) = out.getvalue().splitlines()
    text = json.loads(written)["text"] if as_json else written.partition("The strategy says: ")[2]
    assert text == line.rstrip()


def test_the_log_has_nothing_that_a_terminal_would_obey() -> None:
    out = io.StringIO()
    Journal("P01", out, lambda: 0).strategy_output("a\x1b[2Jb", "R1M1")
    assert "\x1b" not in out.getvalue()
