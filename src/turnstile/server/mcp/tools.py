"""All tools. Their docstrings are what a model reads: they say what a tool does, and what to call next."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, UnsetType

from turnstile.host import Refused
from turnstile.kernel.machine import Refusal
from turnstile.kernel.schema import schema
from turnstile.kernel.values import LogId, Value, encode
from turnstile.registry import find_game, names
from turnstile.server.commands import (
    AnyCommand,
    Invitation,
    JoinAs,
    JoinCommand,
    Seq,
    StartCommand,
    new_table_id,
)
from turnstile.server.errors import Problem, problem_of
from turnstile.server.http.games import BotEntry, SeatRange, entry_of, rules_of
from turnstile.server.limits import LimitName
from turnstile.server.mcp.actions import action_forms
from turnstile.server.mcp.seat import LONGEST_WAIT, MOST_ILLEGAL, IllegalAct
from turnstile.server.mcp.situation import Situation, in_text
from turnstile.server.mcp.tool import Answer, Tool, ToolCall, tool
from turnstile.server.tables import ListedTable, NewTable, find_installed
from turnstile.table.values import Code as TableCode
from turnstile.table.values import Phase, Player

MOST_LISTED = 50

Table = Annotated[LogId, Meta(min_length=1, max_length=64, description="The id of a table.")]
GameName = Annotated[str, Meta(min_length=1, max_length=64, description="The name of a game, from list_games.")]


# games


class NoArguments(Value, frozen=True):
    """Nothing."""


class GameLine(Value, frozen=True):
    """A game in the list."""

    name: str
    title: str
    seats: SeatRange
    bots: tuple[BotEntry, ...]


class Games(Value, frozen=True):
    games: tuple[GameLine, ...]


@tool("List games", NoArguments, Games, is_read_only=True)
async def list_games(call: ToolCall[NoArguments]) -> Answer:
    """The games that can be played here, with the number of players and the bots of each. Call read_rules next."""
    entries = [entry_of(game) for game in map(find_game, names()) if game is not None]
    lines = [GameLine(each.name, each.title, each.seats, each.bots) for each in entries]
    return Answer("\n".join(map(_game_in_words, lines)), Games(tuple(lines)))


def _game_in_words(game: GameLine) -> str:
    seats = f"{game.seats.fewest} to {game.seats.most}" if game.seats.fewest < game.seats.most else game.seats.most
    return f"- {game.name}: {game.title}, {seats} players. Bots: {', '.join(bot.name for bot in game.bots)}."


class RulesArguments(Value, frozen=True):
    game: GameName


class Rules(Value, frozen=True):
    """The rules of a game, and how its actions are named."""

    game: str
    rules: str
    actions: Annotated[tuple[str, ...], Meta(description="The forms of action names; capitals stand for values.")]
    options: Annotated[Any, Meta(description="The JSON Schema of the options of make_table.")]


@tool("Read the rules", RulesArguments, Rules, is_read_only=True)
async def read_rules(call: ToolCall[RulesArguments]) -> Answer:
    """The rules of a game, the forms of its action names, and its options. Call make_table or list_tables next."""
    game = find_installed(call.arguments.game)
    rules, forms = rules_of(game).strip(), action_forms(game)
    told = f"{game.title}\n\n{rules}\n\nActions, where capitals stand for values: {'  '.join(forms)}"
    return Answer(told, Rules(game.name, rules, forms, schema(game.options)))


# tables


class MakeTableArguments(Value, frozen=True):
    game: GameName
    bots: Annotated[tuple[Player, ...], Meta(max_length=16, description="Bots that take seats, by name.")] = ()
    options: Annotated[dict[str, Any], Meta(description="Options of the game, see read_rules.")] | UnsetType = UNSET
    invite_only: Annotated[bool, Meta(description="Whether others need the invitation to join.")] = False


class MadeTable(Value, frozen=True):
    """A new table. Others join with its id; if it is by invitation, with the invitation too."""

    table: LogId
    invite: str
    next: str


@tool("Make a table", MakeTableArguments, MadeTable, is_read_only=False)
async def make_table(call: ToolCall[MakeTableArguments]) -> Answer:
    """Open a table and take its first seat. Bots take the next seats. Call start_match once all players are there."""
    given, person = call.arguments, call.caller.known_person()
    options = b"{}" if given.options is UNSET else encode(given.options)
    call.server.limits.take(LimitName.TABLES, person.player)
    wanted = NewTable(given.game, Raw(options), given.bots, invite_only=given.invite_only, kind=JoinAs.AGENT)
    made = await call.server.tables.open(person, wanted)
    advice = "Call start_match when enough players are here, or wait with since=0 for them."
    told = f"Table {made.table} is open, and you have its first seat. Invitation: {made.invite}. {advice}"
    return Answer(told, MadeTable(made.table, made.invite, advice))


class TableListArguments(Value, frozen=True):
    game: GameName | None = None


class MyTablesArguments(Value, frozen=True):
    is_open: Annotated[bool, Meta(description="Only tables that are not over.")] = True


class TableLines(Value, frozen=True):
    """Tables, the newest first."""

    tables: tuple[ListedTable, ...]


@tool("List open tables", TableListArguments, TableLines, is_read_only=True)
async def list_tables(call: ToolCall[TableListArguments]) -> Answer:
    """The newest open tables that anyone may join or watch. In the phase Seating, join_table takes a seat, if one is
    free."""
    found = await call.server.tables.listed(game=call.arguments.game, phase=None, after=None, limit=MOST_LISTED)
    return _lines(found.items, "There are no open tables. make_table opens one.")


@tool("My tables", MyTablesArguments, TableLines, is_read_only=True)
async def my_tables(call: ToolCall[MyTablesArguments]) -> Answer:
    """The tables at which you sit, the newest first. Call see with one of them next."""
    player = call.caller.known_person().player
    is_open = True if call.arguments.is_open else None
    found = await call.server.tables.of_player(player, is_open=is_open, after=None, limit=MOST_LISTED)
    return _lines(found.items, "You sit at no table. make_table opens one, join_table takes a seat.")


def _lines(tables: tuple[ListedTable, ...], none: str) -> Answer:
    return Answer("\n".join(map(_table_in_words, tables)) or none, TableLines(tables))


def _table_in_words(table: ListedTable) -> str:
    seats, game = f"{len(table.players)} players", find_game(table.game)
    if table.phase == Phase.SEATING and game is not None:
        seats = f"{len(table.players)} of {game.seats[-1]} seats taken"
    return f"- {table.table}: {table.game}, {table.phase}, {seats}"


class JoinArguments(Value, frozen=True):
    table: Table
    invite: Annotated[Invitation, Meta(description="The invitation, if the table needs one.")] | None = None


class TableArguments(Value, frozen=True):
    table: Table


@tool("Join a table", JoinArguments, Situation, is_read_only=False)
async def join_table(call: ToolCall[JoinArguments]) -> Answer:
    """Take a seat at a table whose match has not begun. Call wait next."""
    given = call.arguments
    command = JoinCommand(id=new_table_id(), kind=JoinAs.AGENT, invite=given.invite)
    try:
        await _submit(call, given.table, command, TableCode.ALREADY_SEATED)
    except Problem as problem:
        if problem.code != Refusal.WRONG_PHASE or not await _is_seated(call, given.table):
            raise
    return _answer(await call.at(given.table).look(None))


async def _is_seated(call: ToolCall[Any], table: LogId) -> bool:
    """Whether the caller has a seat, for example because it joins again after an answer was lost."""
    player = call.caller.known_person().player
    return await call.server.readers.look(table, lambda live: any(seat.player == player for seat in live.state.seats))


@tool("Start the match", TableArguments, Situation, is_read_only=False)
async def start_match(call: ToolCall[TableArguments]) -> Answer:
    """Start the match at a table that you opened, and wait for your first turn."""
    await _submit(call, call.arguments.table, StartCommand(id="mcp-start"))
    return _answer(await call.at(call.arguments.table).wait(0, LONGEST_WAIT))


async def _submit(call: ToolCall[Any], table: LogId, command: AnyCommand, fine: str = "") -> None:
    """Send a command. To be refused with the code `fine` is as good as success."""
    person = call.caller.known_person()
    call.server.limits.take(LimitName.COMMANDS, person.player)
    answer = await call.server.tables.submit(person, table, command)
    if isinstance(answer, Refused) and answer.error.code != fine:
        raise problem_of(answer.error, answer.seq)


# play


SinceOrLast = Annotated[Seq, Meta(description="The newest update that you have; left out: the last one read.")]


class SeeArguments(Value, frozen=True):
    table: Table
    since: SinceOrLast | None = None


class WaitArguments(Value, frozen=True):
    table: Table
    since: Annotated[Seq, Meta(description="The newest update that you have: `seq` of the last result; 0 at first.")]
    seconds: Annotated[float, Meta(ge=0, le=LONGEST_WAIT, description="How long to wait.")] = LONGEST_WAIT


class ActArguments(Value, frozen=True):
    table: Table
    seq: Annotated[int, Meta(ge=1, description="The update that you decided on: `seq` of the last result.")]
    action: Annotated[str, Meta(min_length=1, max_length=500, description="The name of an action, such as pick:E.")]


@tool("See a table", SeeArguments, Situation, is_read_only=True)
async def see(call: ToolCall[SeeArguments]) -> Answer:
    """A table as you may see it now: what has happened since an update, your view, and what you may do. Works at any
    time, and as often as you like."""
    return _answer(await call.at(call.arguments.table).look(call.arguments.since))


@tool("Wait for my turn", WaitArguments, Situation, is_read_only=True)
async def wait(call: ToolCall[WaitArguments]) -> Answer:
    """Wait until it is your turn or the match is over, for 25 seconds at most. If nothing happens, the answer is one
    line: call again."""
    given = call.arguments
    return _answer(await call.at(given.table).wait(given.since, given.seconds))


async def act(call: ToolCall[ActArguments]) -> Answer:
    person, given = call.caller.known_person(), call.arguments
    done = await call.at(given.table).act(person, given.seq, given.action)
    return _illegal(done) if isinstance(done, IllegalAct) else _answer(done)


act_tool = Tool(
    name="act",
    title="Act",
    doc="Make a move, and wait for your next turn or the end of the match, for 25 seconds at most. The same call may "
    "be repeated, for example if its answer was lost: the move is made once. An illegal move changes nothing, and "
    f"the answer says why and what is legal; after {MOST_ILLEGAL} illegal moves in a row you resign.",
    arguments=ActArguments,
    result=Situation,
    handle=act,
    is_read_only=False,
)


@tool("Resign", TableArguments, Situation, is_read_only=False)
async def resign(call: ToolCall[TableArguments]) -> Answer:
    """Give the match up. Before the match, leave the table; if you opened it, it is closed. This cannot be undone."""
    return _answer(await call.at(call.arguments.table).give_up(call.caller.known_person()))


def _answer(situation: Situation) -> Answer:
    return Answer(in_text(situation), situation)


def _illegal(refused: IllegalAct) -> Answer:
    count = (
        f" Illegal act {refused.illegal_acts} of {refused.most_illegal_acts} in a row." if refused.illegal_acts else ""
    )
    resigned = " You have resigned." if refused.has_resigned else ""
    return Answer(f"{refused.message}{count}{resigned}\n{in_text(refused.situation)}", refused, is_error=True)


TOOLS: tuple[Tool, ...] = (
    list_games,
    read_rules,
    make_table,
    list_tables,
    join_table,
    start_match,
    see,
    act_tool,
    wait,
    resign,
    my_tables,
)
