"""A record: a whole match as lines of JSON that anyone can replay and check.

The header names the game and the players and shows the commitment. Then come the words that players added to the seed,
and every event with the fingerprint of the state it led to. The last line has the outcome and reveals the seed. Each
line ends with a hash of itself and the previous hash, so `load` detects a flipped bit anywhere.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Generic

import msgspec

from turnstile.kernel.chance import Commitment, Seed, commit, mix, verify
from turnstile.kernel.game import Game, O, Outcome, Players, S, V
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event, Malformed, PlayerId, Value, decode, digest, encode

Hash = str
OVER = "the match was already over"
BEFORE_FIRST: Hash = ""
HASH_FIELD = b',"hash":"'
TAIL = len(HASH_FIELD) + 64 + len(b'"}')


class RecordFault(StrEnum):
    """What can be wrong with a record. Codes are protocol: add to them, never rename one."""

    DAMAGED = "DamagedRecord"
    OTHER_GAME = "OtherGame"
    OTHER_VERSION = "OtherVersion"
    DIVERGED = "DivergedReplay"
    UNFAIR = "UnfairDeal"


class RecordHeader(Value, frozen=True, tag_field="line", tag="header"):
    """Before the first move: the game and its version, the players in seat order, the options and the commitment."""

    game: str
    version: int
    players: Players
    options: msgspec.Raw
    commitment: Commitment


class Entropy(Value, frozen=True, tag_field="line", tag="entropy"):
    """Words that a player added to the seed after it had seen the commitment."""

    player: PlayerId
    words: str


class Happened(Value, frozen=True, tag_field="line", tag="event"):
    """An accepted event, and the fingerprint of the state it led to."""

    event: msgspec.Raw
    state: Hash


class End(Value, frozen=True, tag_field="line", tag="end"):
    """How the match ended (`None`: it was abandoned), and the seed that was committed to."""

    outcome: Outcome | None
    seed: Seed


Line = RecordHeader | Entropy | Happened | End


class Record(Value, frozen=True):
    """A match, line by line."""

    header: RecordHeader
    entropy: tuple[Entropy, ...]
    happened: tuple[Happened, ...]
    end: End

    @property
    def seed(self) -> Seed:
        """The seed the match was dealt from: the one committed to, with the players' words mixed in."""
        return mix(self.end.seed, {entry.player: entry.words for entry in self.entropy})


class Replay(msgspec.Struct, Generic[S], frozen=True):
    """A replayed record: its first state, its events, and the step that each of them made."""

    start: S
    events: tuple[Event, ...]
    steps: tuple[Step[S], ...]

    @property
    def states(self) -> tuple[S, ...]:
        """The state before each event, and the last one."""
        return (self.start, *(step.state for step in self.steps))


# writing


def write(
    game: Game[S, V, O],
    players: Players,
    options: O,
    seed: Seed,
    events: Iterable[Event],
    entropy: Mapping[PlayerId, str] | None = None,
) -> Record | Rejection:
    """The record of a match with these events, or the rejection of the first event that is refused."""
    words = dict(entropy or {})
    state = game.new(players, options, mix(seed, words))
    if isinstance(state, Rejection):
        return state
    happened: list[Happened] = []
    for event in events:
        if game.outcome(state) is not None:
            return _diverged(len(happened) + 1, OVER)
        after = game.machine.apply(state, event)
        if isinstance(after, Rejection):
            return after
        happened.append(Happened(msgspec.Raw(encode(event)), digest(after)))
        state = after
    return Record(
        RecordHeader(game.name, game.version, players, msgspec.Raw(encode(options)), commit(seed)),
        tuple(Entropy(player, text) for player, text in words.items()),
        tuple(happened),
        End(game.outcome(state), seed),
    )


def save(record: Record) -> bytes:
    """The record as lines of JSON, chained by their hashes."""
    lines, before = [], BEFORE_FIRST
    for entry in (record.header, *record.entropy, *record.happened, record.end):
        body = encode(entry)
        before = _link(before, body)
        lines.append(body[:-1] + HASH_FIELD + before.encode() + b'"}\n')
    return b"".join(lines)


def _link(before: Hash, body: bytes) -> Hash:
    return sha256(before.encode() + body).hexdigest()


# reading


def load(data: bytes) -> Record | Rejection:
    """The record in `data`, if every hash of its chain is right."""
    lines = data.split(b"\n")
    if lines.pop() != b"":
        return _damaged(len(lines) + 1, "the line is cut off")
    entries: list[Line] = []
    before = BEFORE_FIRST
    for number, line in enumerate(lines, start=1):
        body = line[:-TAIL] + b"}"
        before = _link(before, body)
        if line[-TAIL:] != HASH_FIELD + before.encode() + b'"}':
            return _damaged(number, "its hash does not match its content")
        try:
            entries.append(decode(body, Line))  # type: ignore[arg-type]
        except Malformed as fault:
            return _damaged(number, str(fault))
    return _assembled(entries)


def _assembled(entries: list[Line]) -> Record | Rejection:
    """The record from its lines: a header, the players' words, the events, the end, and nothing else."""
    match [entry for entry in entries if isinstance(entry, RecordHeader | End)]:
        case [RecordHeader() as header, End() as end]:
            words = tuple(entry for entry in entries if isinstance(entry, Entropy))
            happened = tuple(entry for entry in entries if isinstance(entry, Happened))
            if entries == [header, *words, *happened, end]:
                return Record(header, words, happened, end)
    return Rejection(
        RecordFault.DAMAGED, "Invalid record: its lines must be header, words, events, end, in this order."
    )


def _damaged(number: int, why: str) -> Rejection:
    return Rejection(RecordFault.DAMAGED, f"Line {number} of the record is damaged: {why}.")


# checking


def replay(record: Record, game: Game[S, V, O]) -> Replay[S] | Rejection:
    """Play the match again: the same events must lead to identical states and to the same outcome."""
    header = record.header
    if header.game != game.name:
        return Rejection(RecordFault.OTHER_GAME, f"This is a record of {header.game}, not of {game.name}.")
    if header.version != game.version:
        return Rejection(
            RecordFault.OTHER_VERSION,
            f"Version {header.version} of {game.name} made this record; version {game.version} plays differently.",
        )
    options = game.read_options(bytes(header.options))
    state = options if isinstance(options, Rejection) else game.new(header.players, options, record.seed)
    if isinstance(state, Rejection):
        return _diverged(0, state.sentence)
    start, events, steps = state, [], []
    for number, entry in enumerate(record.happened, start=1):
        event = game.machine.read_event(bytes(entry.event))
        if isinstance(event, Rejection):
            return _diverged(number, f"it is refused: {event.sentence}")
        step = game.machine.step(state, event)
        if isinstance(step, Rejection):
            return _diverged(number, f"it is refused: {step.sentence}")
        if game.outcome(state) is not None:
            return _diverged(number, OVER)
        if digest(step.state) != entry.state:
            return _diverged(number, "it leads to a different state")
        state = step.state
        events.append(event)
        steps.append(step)
    if game.outcome(state) != record.end.outcome:
        return _diverged(len(steps), "the outcome is different")
    return Replay(start, tuple(events), tuple(steps))


def refuse_deal(record: Record, game: Game[S, V, O], replayed: Replay[S]) -> Rejection | None:
    """Why the deal was not fair: the seed is not the committed one, or the table did not deal from that seed."""
    if not verify(record.header.commitment, record.end.seed):
        return Rejection(
            RecordFault.UNFAIR, "The revealed seed is not the one that was committed to before the first move."
        )
    adding = [entry.player for entry in record.entropy]
    if set(adding) - set(record.header.players) or len(set(adding)) < len(adding):
        return Rejection(RecordFault.UNFAIR, "A player added words to the seed twice, or without a seat.")
    for number, (state, event) in enumerate(zip(replayed.states, replayed.events, strict=False), start=1):
        due = game.dealer(state)
        if type(event) is type(due) and event != due:
            return Rejection(RecordFault.UNFAIR, f"Event {number} of the record is not what the committed seed deals.")
    return None


def _diverged(number: int, why: str) -> Rejection:
    return Rejection(RecordFault.DIVERGED, f"The record does not replay at event {number}: {why.rstrip('.')}.")
