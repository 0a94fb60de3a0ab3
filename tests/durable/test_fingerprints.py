"""Fingerprints: some entries of a log prove which state they led to, and the chain of hashes proves all of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tools.logs import ANA, BO, Writing, with_every_fingerprint
from turnstile.durable.log import FINGERPRINT_EVERY, fingerprint, follow, follow_steps, replay
from turnstile.host.logs import TABLES
from turnstile.kernel.values import Instant, LogId
from turnstile.store.log import NO_FINGERPRINT, Damaged, Entry, entry
from turnstile.store.protocol import Saved
from turnstile.table.values import Close, Resign

NAME = LogId("golden")


def being_played() -> Writing:
    """A match of Up-Down that goes on."""
    at = Writing("up-down")
    at.sit_down(ANA, BO)
    at.start()
    at.play(20)
    assert FINGERPRINT_EVERY + 4 < len(at.entries) < 2 * FINGERPRINT_EVERY
    return at


def chained(entries: Sequence[Entry]) -> Saved:
    """The log with these entries, and a chain that holds."""
    made = [entries[0]]
    for each in entries[1:]:
        made.append(entry(made[-1].link, each.position, each.at, each.event, each.state, each.command, each.answer))
    return Saved(made[0], None, tuple(made[1:]))


def with_event(entries: Sequence[Entry], position: int, event: bytes) -> list[Entry]:
    """The same entries with another event at a position; their hashes are as they were."""
    old = entries[position]
    other = Entry(position, old.at, event, old.state, old.link, old.command, old.answer)
    return [*entries[:position], other, *entries[position + 1 :]]


def later_by_an_hour(found: Entry) -> bytes:
    """The same event at another time, which the machine takes as well."""
    return found.event.replace(b'"at":%d' % found.at, b'"at":%d' % (found.at + 3_600_000))


# which entries have one


def test_every_16th_entry_of_an_open_log_has_a_fingerprint_and_so_has_its_header() -> None:
    at = being_played()
    at.play(40)
    positions = [each.position for each in at.entries if each.state != NO_FINGERPRINT]
    assert positions == [*range(0, len(at.entries), 16)]
    assert len(positions) > 3


def test_the_last_entry_of_a_log_that_is_closed_has_a_fingerprint() -> None:
    played, closed = being_played(), Writing("up-down")
    played.happen(Resign(ANA, "enough", played.now()))
    closed.happen(Close(ANA, "close", closed.now()))
    for at in (played, closed):
        last = at.entries[-1]
        assert last.position % FINGERPRINT_EVERY
        assert last.state == fingerprint(TABLES.write_state(at.state))


def test_an_entry_with_a_snapshot_has_its_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(TABLES), "snapshot_every", 5)
    positions = [each.position for each in being_played().entries if each.state != NO_FINGERPRINT]
    assert positions == [0, 5, 10, 15, 16, 20]


# what they prove


@pytest.mark.parametrize("position", [1, 2, 3, 9, 15, 16])
def test_a_log_whose_replay_leads_elsewhere_is_found_at_the_next_fingerprint(position: int) -> None:
    entries = being_played().entries
    log = chained(with_event(entries, position, later_by_an_hour(entries[position])))
    with pytest.raises(Damaged, match="no longer leads to the state it led to at entry 16"):
        replay(TABLES, NAME, log)
    start = replay(TABLES, NAME, Saved(log.header, None, ()))
    assert follow(TABLES, NAME, start, log.entries[:15]).position == 15, "up to there nothing says so"
    with pytest.raises(Damaged, match="at entry 16"):
        list(follow_steps(TABLES, NAME, start, log.entries))


def test_a_machine_that_has_changed_since_is_found_at_the_next_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    log, honest = being_played().log, TABLES.apply

    def apply(kind: object, state: Any, event: Any, at: Instant) -> Any:
        after: Any = honest(state, event, at)
        return replace(after, events=99) if after.events == 3 else after

    monkeypatch.setattr(type(TABLES), "apply", apply)
    with pytest.raises(Damaged, match="at entry 16"):
        replay(TABLES, NAME, log)


def test_after_the_last_fingerprint_of_an_open_log_another_state_goes_unnoticed_and_the_next_one_finds_it() -> None:
    at = being_played()
    position = FINGERPRINT_EVERY + 2
    log = chained(with_event(at.entries, position, later_by_an_hour(at.entries[position])))
    assert replay(TABLES, NAME, log).state != at.state
    while len(at.entries) <= 2 * FINGERPRINT_EVERY:
        at.move()
    log = chained(with_event(at.entries, position, later_by_an_hour(at.entries[position])))
    with pytest.raises(Damaged, match=f"at entry {2 * FINGERPRINT_EVERY}"):
        replay(TABLES, NAME, log)


def test_a_changed_bit_in_any_event_is_found_by_the_chain() -> None:
    entries = being_played().entries
    for position, found in enumerate(entries[1:], start=1):
        for bit in range(8):
            flipped = bytes([found.event[0] ^ (1 << bit)]) + found.event[1:]
            changed = with_event(entries, position, flipped)
            with pytest.raises(Damaged, match=f"the hash of entry {position} does not match its content"):
                replay(TABLES, NAME, Saved(changed[0], None, tuple(changed[1:])))


def test_a_fingerprint_that_is_taken_out_or_put_in_is_found_by_the_chain() -> None:
    entries = being_played().entries
    for position in (15, 16):
        old = entries[position]
        state = fingerprint(b"a state") if old.state == NO_FINGERPRINT else NO_FINGERPRINT
        changed = [*entries]
        changed[position] = Entry(position, old.at, old.event, state, old.link, old.command, old.answer)
        with pytest.raises(Damaged, match=f"the hash of entry {position} does not match its content"):
            replay(TABLES, NAME, Saved(changed[0], None, tuple(changed[1:])))


def test_a_log_with_a_fingerprint_in_every_entry_is_read_as_well() -> None:
    at = being_played()
    every = with_every_fingerprint(at.log)
    assert replay(TABLES, NAME, Saved(every[0], None, tuple(every[1:]))).state == at.state
