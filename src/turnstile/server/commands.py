"""Commands of players as they come over the wire: the same objects over HTTP and as frames of the WebSocket.

A command never says who sends it: the server adds the player of the token. A command with the same id and the same
content may be sent again, over any way, and gets its first answer again.
"""

import secrets
from enum import StrEnum
from typing import Annotated, assert_never

from msgspec import Meta, Raw

from turnstile.kernel.chance import new_seed
from turnstile.kernel.values import Instant, LogId, PlayerId, Value
from turnstile.table import values as table
from turnstile.table.values import LONGEST_WORDS, CommandId, Player

MOST_COMMAND_BYTES = 16 * 1024
"""How long a command may be, as a body or as a frame."""
NO_TIME_YET = Instant(0)  # the host puts in when a command came
Seq = Annotated[int, Meta(ge=0, description="The number of an update.")]
Invitation = Annotated[str, Meta(min_length=1, max_length=64, description="The secret of an invitation link.")]


class JoinAs(StrEnum):
    """Who takes a seat: a person, or a program that plays from elsewhere."""

    PERSON = "person"
    AGENT = "agent"


class PlayerCommand(Value, frozen=True, tag_field="type"):
    """What every command has: its id, chosen by its sender, and perhaps the newest update that the sender has."""

    id: CommandId
    upto: Seq | None = None


class JoinCommand(PlayerCommand, frozen=True, tag="join"):
    """Take a seat. A table by invitation needs the invitation."""

    kind: JoinAs = JoinAs.PERSON
    invite: Invitation | None = None


class LeaveCommand(PlayerCommand, frozen=True, tag="leave"):
    """Give the seat back before the match."""


class AddBotCommand(PlayerCommand, frozen=True, tag="addBot", kw_only=True):
    """Give a seat to a bot, under a name. For the player who opened the table."""

    name: Player
    bot: Player


class RemoveCommand(PlayerCommand, frozen=True, tag="remove", kw_only=True):
    """Free a seat before the match. For the player who opened the table."""

    name: Player


class StartCommand(PlayerCommand, frozen=True, tag="start"):
    """Start the match. For the player who opened the table."""


class AddWordsCommand(PlayerCommand, frozen=True, tag="addWords", kw_only=True):
    """Add own words to the seed, after the commitment was shown."""

    words: Annotated[str, Meta(min_length=1, max_length=LONGEST_WORDS)]


class ActCommand(PlayerCommand, frozen=True, tag="act", kw_only=True):
    """Make a move: one of the `actions` of the newest update. `seen`: the update that the move was decided on, which is
    acknowledged by this."""

    move: Raw
    seen: int | None = None


class ResignCommand(PlayerCommand, frozen=True, tag="resign"):
    """Give the match up."""


class RematchCommand(PlayerCommand, frozen=True, tag="rematch"):
    """Agree to play again with the same players. The status names the next table once all have agreed."""


class CloseCommand(PlayerCommand, frozen=True, tag="close"):
    """Close the table before the match. For the player who opened the table."""


AnyCommand = (
    JoinCommand
    | LeaveCommand
    | AddBotCommand
    | RemoveCommand
    | StartCommand
    | AddWordsCommand
    | ActCommand
    | ResignCommand
    | RematchCommand
    | CloseCommand
)


BEFORE_THE_MATCH = "This is possible before the match only."

AT_THE_WRONG_TIME: dict[type[PlayerCommand], str] = {
    JoinCommand: "This table takes no more players.",
    LeaveCommand: BEFORE_THE_MATCH,
    AddBotCommand: BEFORE_THE_MATCH,
    RemoveCommand: BEFORE_THE_MATCH,
    StartCommand: BEFORE_THE_MATCH,
    CloseCommand: BEFORE_THE_MATCH,
    AddWordsCommand: "Words can be added only while the match starts.",
    ActCommand: "There is no running match to move in.",
    ResignCommand: "There is no running match to resign from.",
    RematchCommand: "A rematch is possible after the match only.",
}
"""What players are told in place of the names of events and phases of the table."""


class Done(Value, frozen=True):
    """A command took effect. `seq`: the newest update of the sender's stream."""

    seq: int


def new_table_id() -> LogId:
    """An id that cannot be guessed."""
    return LogId(secrets.token_hex(12))


def event_of(player: PlayerId, command: AnyCommand) -> table.Command:
    """The command as an event of the table, in the name of this player."""
    match command:
        case ActCommand():
            return table.Act(player, command.id, NO_TIME_YET, command.move, command.seen)
        case JoinCommand():
            return table.Join(player, command.id, NO_TIME_YET, table.Kind(command.kind.value))
        case LeaveCommand():
            return table.Leave(player, command.id, NO_TIME_YET)
        case AddBotCommand():
            return table.AddBot(player, command.id, NO_TIME_YET, command.name, command.bot)
        case RemoveCommand():
            return table.Remove(player, command.id, NO_TIME_YET, command.name)
        case StartCommand():
            return table.Start(player, command.id, NO_TIME_YET, new_seed())
        case AddWordsCommand():
            return table.AddWords(player, command.id, NO_TIME_YET, command.words)
        case ResignCommand():
            return table.Resign(player, command.id, NO_TIME_YET)
        case RematchCommand():
            return table.Rematch(player, command.id, NO_TIME_YET, new_table_id())
        case CloseCommand():
            return table.Close(player, command.id, NO_TIME_YET)
    assert_never(command)
