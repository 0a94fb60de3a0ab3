"""A table as a value: its seats, settings, state, and the events it takes.

Times are instants in milliseconds that come with the events; the table itself has no clock.
"""

from enum import StrEnum
from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Raw

from turnstile.kernel.chance import LONGEST_SEED, Seed
from turnstile.kernel.effects import LONGEST_TIMER
from turnstile.kernel.game import Players
from turnstile.kernel.timers import Timers
from turnstile.kernel.values import (
    LONGEST_ID,
    ByPlayer,
    Event,
    Instant,
    LogId,
    PlayerId,
    Timeout,
    Value,
)

M = TypeVar("M")

VERSION = 4
"""Raise it whenever a log of the previous version would be read differently."""

LONGEST_WORDS = 200
LONGEST_COMMAND = 64
MOST_DELAY = 100

NOTHING = Raw(b"null")

CommandId = Annotated[str, Meta(min_length=1, max_length=LONGEST_COMMAND)]
Player = Annotated[PlayerId, Meta(min_length=1, max_length=LONGEST_ID)]
Seconds = Annotated[float, Meta(ge=0.1, le=LONGEST_TIMER)]


# words


class Phase(StrEnum):
    SEATING = "Seating"
    STARTING = "Starting"
    SETTLING = "Settling"
    GATHERING = "Gathering"
    PLAYING = "Playing"
    FINISHED = "Finished"
    REMATCHED = "Rematched"
    CLOSED = "Closed"


class Kind(StrEnum):
    """Who sits on a seat. All kinds see their own stream only, and send the same commands."""

    PERSON = "person"
    BOT = "bot"
    AGENT = "agent"


class Per(StrEnum):
    """Whether a clock gives its seconds for each move, or for all moves of a match together."""

    MOVE = "move"
    MATCH = "match"


class RunOut(StrEnum):
    """What happens when a player's clock runs out."""

    WAIT = "wait"
    BOT = "bot"
    FORFEIT = "forfeit"


class How(StrEnum):
    """How a match ended."""

    PLAYED = "played"
    RESIGNED = "resigned"
    OUT_OF_TIME = "outOfTime"
    HALTED = "halted"


class Code(StrEnum):
    """Why a table refuses something. It passes on the game's own codes, too. Add to them, never rename one."""

    UNKNOWN_GAME = "UnknownGame"
    OTHER_VERSION = "OtherVersion"
    NOT_ADMIN = "NotAdmin"
    TABLE_FULL = "TableFull"
    ALREADY_SEATED = "AlreadySeated"
    NOT_SEATED = "NotSeated"
    NOT_YOUR_SEAT = "NotYourSeat"
    NOT_A_MOVE = "NotAMove"
    STALE_VERSION = "StaleVersion"
    FUTURE_VERSION = "FutureVersion"
    ACKS_MISSING = "AcksMissing"
    FUTURE_ACK = "FutureAck"
    STALE_TIMER = "StaleTimer"
    TOO_EARLY = "TooEarly"
    WORDS_GIVEN = "WordsGiven"
    ALREADY_AGREED = "AlreadyAgreed"
    ALREADY_HERE = "AlreadyHere"


# settings


class Clock(Value, frozen=True):
    """How long a player may think, and what happens when the time is up."""

    seconds: Seconds
    per: Per = Per.MOVE
    run_out: RunOut = RunOut.WAIT


class Settings(Value, frozen=True):
    """What the player who opens a table decides about it."""

    clock: Clock | None = None
    ack_seconds: Seconds = 30.0
    """How long the table waits for acknowledgements before a silent seat counts as away."""
    spectators: bool = True
    delay: Annotated[int, Meta(ge=0, le=MOST_DELAY)] = 0
    """How many updates later spectators see the match, until it is over."""
    stand_in: Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] = "random"
    """The bot that moves for a player whose clock ran out, if the clock says so."""
    is_listed: bool = True


class Seat(Value, frozen=True):
    player: PlayerId
    kind: Kind = Kind.PERSON
    bot: str | None = None
    """The name of the bot, if a bot sits here."""
    is_away: bool = False
    """The player was silent for too long: the table does not wait for it until it returns."""


class Header(Value, frozen=True):
    """What is settled when a table is opened: entry 0 of its log."""

    table: LogId
    game: str
    game_version: int
    options: Raw
    admin: Player
    at: Instant
    settings: Settings = Settings()
    seats: tuple[Seat, ...] = ()
    """Who is seated from the first: the company of a rematch."""
    version: int = VERSION
    log: Literal["table"] = "table"
    """By which a log is known to be that of a table."""


# state


class Result(Value, frozen=True):
    """How a match ended. It may have no winners. Scores are the game's, if the match was played to its end."""

    how: How
    winners: Players
    scores: ByPlayer[int] | None = None
    reason: str = ""
    """Who resigned or ran out of time, or why the match was halted."""


class Note(Value, frozen=True):
    """Messages for one player, as JSON, in order; without a player they are for all spectators.

    A note without messages says only that their view or actions have changed.
    """

    player: PlayerId | None
    messages: tuple[Raw, ...] = ()


class Batch(Value, Generic[M], frozen=True):
    """What some players are told together, and the match as they see it with that."""

    notes: tuple[Note, ...]
    match: M | None = None
    """The match as players see it with this batch; `None`: the match on the table."""
    is_last: bool = True
    """Whether it is the last batch of its step. Players may not act before it, so earlier batches show no actions."""


class State(Value, Generic[M], frozen=True):
    """The whole table. `told` counts the updates of each seat's stream, `watched` those of the spectators'."""

    phase: Phase
    header: Header
    now: Instant
    seats: tuple[Seat, ...] = ()
    seed: Seed | None = None
    words: ByPlayer[str] = ByPlayer()
    match: M | None = None
    told: ByPlayer[int] = ByPlayer()
    acked: ByPlayer[int] = ByPlayer()
    """What each seat had acknowledged when the table last waited for that."""
    awaited: ByPlayer[int] = ByPlayer()
    """The newest update of each seat that has messages. A gate waits for this one, never for one without."""
    actions_since: ByPlayer[int] = ByPlayer()
    """The first update of each seat since its player moved, or since its actions changed. Older ones are stale."""
    watched: int = 0
    pending: tuple[Batch[M], ...] = ()
    """Batches that are not told yet: in a gated game, they wait until the previous batch is acknowledged."""
    timers: Timers[Raw] = ()
    """A timer of the game has the game's event; any other timer has `null`."""
    left: ByPlayer[int] = ByPlayer()
    """Milliseconds left on the clocks that are not running."""
    late: Players = ()
    """The players whose clock ran out in this turn, at a table that waits for them."""
    events: int = 0
    """How many events the match has had."""
    rings: int = 0
    """How many timers have run out since a player last moved."""
    result: Result | None = None
    agreed: Players = ()
    successor: LogId | None = None

    @property
    def players(self) -> Players:
        return tuple([seat.player for seat in self.seats])

    def seat_of(self, player: PlayerId) -> Seat | None:
        for seat in self.seats:  # called at every turn; a generator would take twice as long
            if seat.player == player:
                return seat
        return None

    def others(self, player: PlayerId) -> Players:
        return tuple(other for other in self.players if other != player)


# events: what players do


class Command(Event, frozen=True):
    """A player's request. Its id makes sure that it counts once; `at` is its arrival, by the server's clock."""

    player: Player
    id: CommandId
    at: Instant


class Join(Command, frozen=True):
    """A player, or a program that plays from elsewhere, takes a seat."""

    kind: Kind = Kind.PERSON


class Leave(Command, frozen=True):
    """A player gives its seat back before the match."""


class AddBot(Command, frozen=True):
    """The admin gives a seat to a bot, under a name."""

    name: Player
    bot: Player


class Remove(Command, frozen=True):
    """The admin frees a seat before the match."""

    name: Player


class Start(Command, frozen=True):
    """The admin starts the match; the server adds a secret seed."""

    seed: Annotated[Seed, Meta(min_length=1, max_length=LONGEST_SEED)]


class AddWords(Command, frozen=True):
    """A player adds its own words to the seed, after it has seen the commitment."""

    words: Annotated[str, Meta(min_length=1, max_length=LONGEST_WORDS)]


class Act(Command, frozen=True):
    """A player makes a move of the game; `seen` is the newest update that it had seen when it decided.

    The move is stale if its player has moved or its actions have changed since that update.
    """

    move: Raw
    seen: int | None = None


class Resign(Command, frozen=True):
    """A player gives the match up."""


class Rematch(Command, frozen=True):
    """A player wants to play again with the same players; the server adds the id of the next table."""

    successor: LogId


class Close(Command, frozen=True):
    """The admin closes the table before the match."""


# events: what the server notices


class ServerEvent(Event, frozen=True):
    """Something that the server noticed; `at` is when, by its clock."""

    at: Instant


class Acknowledge(ServerEvent, frozen=True):
    """How far every seat has acknowledged its stream. It ends the table's wait."""

    cursors: ByPlayer[int]


class Return(ServerEvent, frozen=True):
    """A player that was away has come back."""

    player: PlayerId


class Ring(ServerEvent, Timeout, frozen=True):
    """A timer ran out: the one of this name that was due then.

    For the deadline of acknowledgements, `cursors` says how far each seat had acknowledged.
    """

    timer: str
    due: Instant
    cursors: ByPlayer[int] = ByPlayer()


class Resume(ServerEvent, frozen=True):
    """The server is back after an outage: all deadlines move by the lost time."""

    lost: Annotated[int, Meta(ge=1)]


class Halt(ServerEvent, frozen=True):
    """The match cannot go on, for a reason that its players did not cause."""

    reason: str


class Succeeded(ServerEvent, frozen=True):
    """The next table exists."""


class RematchFailed(ServerEvent, frozen=True):
    """The next table cannot be opened, for example because the game has fewer seats now."""


# answers


class Accepted(Value, frozen=True):
    """The answer to a command that took effect: the number of the newest update in its sender's stream."""

    seq: int
