"""`turnstile play --server`: a table of a server in the terminal.

The connection lives in a thread of its own, so that it is held while the player thinks.
"""

import asyncio
from collections.abc import Coroutine, Set
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from secrets import randbelow
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar, Union

import click
import msgspec
from rich.markup import escape

from turnstile.cli.console import plain_console
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.play.terminal_player import Left, TerminalPlayer
from turnstile.cli.play.tokens import keep_token, read_token
from turnstile.cli.terminals import sentence_of
from turnstile.client import Client, Closed, Invitation, Notice, Player, Refused, Seat, Turn, Unreachable
from turnstile.client.values import Status
from turnstile.kernel import AnyGame, ByPlayer, Outcome, PlayerId
from turnstile.kernel.values import decode, encode

T = TypeVar("T")

SEATING = "Seating"
CLOSED = "Closed"
YOU = "you"
"""The player at this terminal, in what is printed here. No other player is called so."""


@dataclass(frozen=True)
class Wish:
    """What the person wants to play."""

    game: AnyGame
    server: str | None
    link: str | None
    table: str | None
    name: str | None
    players: int
    bot: str | None
    options: str
    is_invitation: bool
    is_new: bool
    path: Path | None


def play_online(wish: Wish) -> int:
    """Play a match, and return the exit status."""
    try:
        invitation = None if wish.link is None else Invitation.of(wish.link)
    except ValueError as fault:
        raise click.UsageError(str(fault)) from None
    server = invitation.server if invitation is not None else (wish.server or "").rstrip("/")
    try:
        with Background() as background:
            return OnlineMatch(wish, server, invitation, background).play()
    except (Refused, Unreachable, Closed) as fault:
        raise click.ClickException(str(fault)) from None


class Background:
    """An event loop in a thread: `call` does something there and waits for it, and Ctrl-C interrupts the wait."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> "Background":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        doing: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return doing.result()
        except KeyboardInterrupt:
            doing.cancel()
            raise


class OnlineMatch:
    """One match of the person at this terminal, at a table of a server."""

    def __init__(self, wish: Wish, server: str, invitation: Invitation | None, background: Background) -> None:
        self.wish, self.game, self.server = wish, wish.game, server
        self._invitation = invitation
        self._call = background.call
        self.console = plain_console(highlight=False)
        self._names: dict[str, str] = {}
        self._player: TerminalPlayer | None = None
        self._here: Set[str] = frozenset()
        self._is_new = False
        """Whether the player was registered for this match."""
        self._is_lost = False
        self._is_over = False

    def play(self) -> int:
        try:
            client = Client(self.server)
        except ValueError as fault:
            raise click.UsageError(str(fault)) from None
        self._call(client.__aenter__())
        try:
            me = self._call(self._log_in(client))
            table = self._find_table(me)
            if self._is_new and self.wish.name is None:
                self.console.print(f"Others see you as {me.name}; --name gives you another name.", markup=False)
            return self._sit(me, table)
        finally:
            self._call(client.__aexit__(None, None, None))

    # who, and where

    async def _log_in(self, client: Client) -> Player:
        """The player of the token that is kept for this server; a new one where there is none, or it is void."""
        token = read_token(client.url)
        if token is not None:
            try:
                return await self._renamed(await client.log_in(token))
            except Refused as refused:
                if refused.code != "BadToken":
                    raise
        me = await client.register(self.wish.name or new_name())
        keep_token(client.url, me.token)
        self._is_new = True
        return me

    async def _renamed(self, me: Player) -> Player:
        """The player, with the name that the person wants now."""
        if self.wish.name is not None and " ".join(self.wish.name.split()) != me.name:
            await me.rename(self.wish.name)
        return me

    def _find_table(self, me: Player) -> str:
        wish = self.wish
        if self._invitation is not None:
            self._join(me, self._invitation)
            return self._invitation.table
        if wish.table is not None:
            self._join(me, Invitation(self.server, wish.table))
            return wish.table
        unfinished = None if wish.is_new else self._unfinished_table(me)
        if unfinished is not None:
            self.console.print("You come back to your table.")
            if wish.is_invitation and unfinished.phase == SEATING:
                self.console.print("Its link was shown when you opened it; --new opens another table.")
            return unfinished.table
        bots = [] if wish.bot is None else [wish.bot] * (wish.players - 1)
        options = msgspec.json.decode(wish.options)
        opened = self._call(me.create_table(self.game.name, bots=bots, options=options, invite_only=wish.is_invitation))
        if wish.is_invitation:
            self.console.print("Send this link to the people you want to play with:")
            self.console.print(me.invitation(opened).link, markup=False, soft_wrap=True)
        return opened.table

    def _unfinished_table(self, me: Player) -> Status | None:
        """The player's newest table of this game; with an invitation, one without bots."""
        for each in self._call(me.tables(is_open=True)).tables:
            if each.game == self.game.name:
                status = self._call(me.status(each.table))
                if not (self.wish.is_invitation and any(seat.bot is not None for seat in status.seats)):
                    return status
        return None

    def _join(self, me: Player, invitation: Invitation) -> None:
        """Take a seat, unless the player has one."""
        status = self._call(me.status(invitation))
        if status.game != self.game.name:
            raise click.UsageError(f"This is a table of {status.game}: turnstile play {status.game} ...")
        if not any(seat.player == me.id for seat in status.seats):
            self._call(me.join(invitation))

    # at the table

    def _sit(self, me: Player, table: str) -> int:
        seat, status = me.play(table, self._hear), 0
        self._call(seat.__aenter__())
        try:
            if self._wait_for_match(me, seat):
                self._play(me, seat)
        except (Left, KeyboardInterrupt) as leaving:
            status = INTERRUPTED if isinstance(leaving, KeyboardInterrupt) else 0
            self.console.print("You leave the table. The match is kept: the same command comes back to it.")
        finally:
            self._is_over = True
            self._call(seat.leave())
        if seat.is_over and self._player is not None and self.wish.path is not None:
            self.wish.path.write_bytes(self._call(me.record(table)))
            self.console.print(f"The record is in {self.wish.path}.", markup=False)
        return status

    def _hear(self, seat: Seat, notice: Notice) -> None:
        if self._is_over:
            return
        if notice in (Notice.LOST, Notice.CONNECTED):
            self._tell_connection(is_lost=notice is Notice.LOST)
        elif notice is Notice.PRESENCE:
            self._tell_presence(seat)
        self._here = frozenset(seat.here)

    def _tell_connection(self, *, is_lost: bool) -> None:
        """That the connection is lost, once however often it is tried again, and that it is back."""
        if is_lost != self._is_lost:
            self._is_lost = is_lost
            said = "The connection is lost; trying again." if is_lost else "Connected again."
            self.console.print(f"[dim]{said}[/]")

    def _tell_presence(self, seat: Seat) -> None:
        """Who has left or come back since the last notice."""
        for player, name in self._names.items():
            if player != seat.player and player in self._here ^ seat.here:
                change = "is back" if player in seat.here else "has left the table"
                self.console.print(f"[dim]{escape(name)} {change}.[/]")

    def _wait_for_match(self, me: Player, seat: Seat) -> bool:
        """Wait until the match starts, and say why if it does not."""
        self._call(_until_known(seat))
        status = seat.status
        if status is not None and status.phase == SEATING:
            if status.admin == me.id:
                self._start(me, seat)
            else:
                self.console.print("Waiting for the match to start.")
                self._call(_until_started(seat))
        status = seat.status
        if seat.player is None:
            self.console.print("You were removed from the table.")
        elif status is not None and status.phase == CLOSED and status.result is None:
            self.console.print("The table was closed before the match.")
        else:
            return True
        return False

    def _start(self, me: Player, seat: Seat) -> None:
        """Start the match when everyone is there: this player has opened the table, and may close it elsewhere."""
        while (status := seat.status) is not None and status.phase == SEATING:
            seated = len(status.seats)
            if seated >= self.wish.players:
                self._call(me.start(seat.table))
                return
            self.console.print(f"Waiting for {self.wish.players - seated} more to join.")
            self._call(_until_joined(seat, seated))

    def _play(self, me: Player, seat: Seat) -> None:
        while (turn := self._call(_next_turn(seat))) is not None:
            if self._player is None:
                self._player = self._begin(me, seat)
            for message in turn.messages:
                self._tell(message)
            while turn.actions and turn is seat.turn and self._act(seat, turn):
                pass  # a refused choice is made again

    def _begin(self, me: Player, seat: Seat) -> TerminalPlayer:
        """Who plays is known now. Ids become names."""
        status, known = seat.status, self._call(me.names(seat.table))
        assert status is not None, "it comes before the first update"
        given = {each.player: known.get(each.player, each.player) for each in status.seats}
        self._names = unique_names({me.id: YOU, **{player: given[player] for player in given if player != me.id}})
        players = tuple(PlayerId(self._names[each.player]) for each in status.seats)
        mine = PlayerId(self._names[me.id])
        others = " and ".join(name for name in players if name != mine)
        self.console.print(f"[bold]{escape(self.game.title)}[/] against {escape(others)}. ? shows the rules, q leaves.")
        return TerminalPlayer(self.game, mine, players, self.console)

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._player is not None
        named = rename(message, self._names)
        if message["type"] == "MatchStarting":
            self.console.print(f"[dim]The table has committed to its seed: {escape(message['commitment'])}[/]")
        elif message["type"] == "MatchEnded":
            self._finish(named)
        else:
            kinds = self.game.machine.messages
            self._player.tell(decode(encode(named), Union[kinds]))  # type: ignore[arg-type]

    def _finish(self, ended: dict[str, Any]) -> None:
        assert self._player is not None
        me, result = self._player.me, ended["result"]
        outcome = Outcome(tuple(result["winners"]), ByPlayer(result.get("scores") or {}))
        praise = " Well played!" if me in outcome.winners else ""
        how = "" if result["how"] == "played" else f"[dim]The match has ended early: {escape(result['how'])}.[/] "
        self.console.print(f"{how}[bold]{escape(sentence_of(outcome, me))}[/][bold green]{praise}[/]")
        self.console.print(f"[dim]The seed was {escape(ended['seed'])}.[/]")

    def _act(self, seat: Seat, turn: Turn) -> bool:
        """Ask for a choice and send it. Returns whether it was refused, so that the player must choose again."""
        assert self._player is not None
        view = decode(encode(rename(turn.view, self._names)), self.game.view_type)
        actions = [self.game.machine.read_event(encode(rename(action, self._names))) for action in turn.actions]
        choice = self._player.choose(view, actions)  # type: ignore[arg-type]
        try:
            has_happened = self._call(seat.act(turn.actions[actions.index(choice)], seen=turn.seq))
        except Refused as refused:
            self.console.print(f"[red]{escape(refused.message)}[/]")
            return True
        if not has_happened:
            self.console.print("The match went on meanwhile.")
        return False


async def _next_turn(seat: Seat) -> Turn | None:
    return await anext(seat, None)


async def _until_known(seat: Seat) -> None:
    """Until the status of the table has come."""
    while seat.status is None:
        await seat.wait_for_news()


async def _until_joined(seat: Seat, seated: int) -> None:
    """Until a player has joined or left, or the table is closed."""
    while (status := seat.status) is not None and len(status.seats) == seated and status.phase == SEATING:
        await seat.wait_for_news()


def new_name() -> str:
    """A name for a person who has not chosen one."""
    return f"Guest {1000 + randbelow(9000)}"


async def _until_started(seat: Seat) -> None:
    """Until the match starts, the table is closed, or the player has lost its seat."""
    while (status := seat.status) is not None and status.phase == SEATING and seat.player is not None:
        await seat.wait_for_news()


def unique_names(names: dict[str, str]) -> dict[str, str]:
    """The names of players by id. Of those with the same name, the later ones get a number that no other name has.

    Names that differ in capital letters only are the same: "You" would pass for the player at this terminal.
    """
    found, taken = dict[str, str](), set[str]()
    for player, name in names.items():
        numbered = (f"{name} ({number})" for number in count(2))
        found[player] = next(each for each in chain([name], numbered) if each.casefold() not in taken)
        taken.add(found[player].casefold())
    return found


def rename(value: Any, names: dict[str, str]) -> Any:
    """The same JSON, with the ids of players replaced by their names."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [rename(each, names) for each in value]
    if isinstance(value, dict):
        return {names.get(key, key): rename(each, names) for key, each in value.items()}
    return value
