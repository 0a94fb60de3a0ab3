"""Strategies that fail, as whoever has started the league is told."""

from pathlib import Path

from turnstile.agents.player.failures import LONGEST_LINE, Failing, failures_in, size_of

LINE = "[2025-01-19T10:01:00Z] [P01] [{}] CRITICAL: {}\n"


def test_what_a_log_says_of_a_strategy_from_somewhere_on(tmp_path: Path) -> None:
    """Of what was there before, of other lines and of what strategies print nothing is told, however long it is."""
    log = tmp_path / "log"
    assert (size_of(log), failures_in(log, 0)) == (0, [])
    log.write_text(LINE.format("R1M1", "of the run before"))
    since = size_of(log)
    assert failures_in(log, since) == []
    late, failed = "The strategy was late.", "The strategy has failed, and a default is taken: KeyError: 'x'"
    with log.open("a") as more:
        more.write("x" * (3 * LONGEST_LINE) + "\n[2025-01-19T10:01:00Z] [P01] [R2M1] Sent ACK to REF01\n")
        more.write("[2025-01-19T10:01:00Z] [P01] [R2M1] The strategy says: " + LINE.format("R9M1", "it is me"))
        more.write(LINE.format("R2M1", late) + LINE.format("R3M1", failed))
    assert failures_in(log, since) == ["R2M1: The strategy was late.", "R3M1: KeyError: 'x'"]


def test_it_is_one_sentence() -> None:
    once = Failing(strategy="python:mine:choose", failures=1, first="R1M1: why")
    assert str(once) == "python:mine:choose has failed once in R1M1: why"
    often = Failing(strategy="command:./mine", failures=3, first="R1M1: why", log="logs/mine-1.log")
    assert str(often) == "command:./mine has failed 3 times, first in R1M1: why (see logs/mine-1.log)"
