"""A whole league on one machine: a manager, referees and players, each a process, from the first to the last table."""

import asyncio
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import aiohttp
import msgspec
from msgspec.structs import replace

from turnstile.agents.launch.children import STOP_SECONDS, Child
from turnstile.agents.page.scoreboard import Progress, Scoreboard
from turnstile.agents.player.failures import Failing
from turnstile.agents.process.files import part_of_path, write_whole
from turnstile.agents.strategies.strategies import FORMS
from turnstile.kernel.values import decode
from turnstile.league.protocol.words import GAME_TYPE, LeagueId

AT_ONCE = 2 * (os.cpu_count() or 1)  # processes that are being started
AGAIN_SECONDS = 0.3  # before a manager that does not answer is asked again
ANSWER_SECONDS = 30.0
LONGEST_NAME = 40  # letters of a strategy's name in that of its player
CANNOT_SAY = (aiohttp.ClientError, TimeoutError)
"""What comes of asking a manager that is dead, or too busy to answer in time."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a league is made of."""

    league_id: LeagueId
    strategies: Sequence[str]
    """One for each player."""
    referees: int
    data: Path
    port: int
    capacity: int
    time_scale: float
    seed: str | None
    game_type: str = GAME_TYPE

    @property
    def stores(self) -> Path:
        return self.data / "state" / self.league_id

    @property
    def begun(self) -> Path:
        """The file that says with what the league was begun."""
        return self.stores / "begun.json"

    def log_of(self, name: str) -> Path:
        """The store of an agent."""
        return self.stores / f"{name}.db"

    @property
    def report(self) -> Path:
        return self.data / "data" / "reports" / f"{self.league_id}.html"

    @property
    def logs(self) -> Path:
        return self.data / "logs" / self.league_id

    @property
    def names(self) -> list[str]:
        """The players are called after their strategies: by one word, or by more where two share that word."""
        different = Counter(_name_of(strategy) for strategy in set(self.strategies))
        return [
            f"{name if different[name := _name_of(strategy)] == 1 else _long_name_of(strategy)}-{number}"
            for number, strategy in enumerate(self.strategies, 1)
        ]


def _long_name_of(strategy: str) -> str:
    """All words of a strategy's name, without what kind it is of."""
    kind, _, rest = strategy.partition(":")
    words = ".".join(re.findall(r"[A-Za-z0-9_-]+", rest if kind in FORMS else strategy))
    return words[-LONGEST_NAME:].lstrip(".-") or "player"


def _name_of(strategy: str) -> str:
    """The last part of a strategy's name, or the program's. What is no name of a file, or a referee's, is a player."""
    kind, _, rest = strategy.partition(":")
    word = Path(rest.split()[0]).name if kind == "command" and rest.split() else strategy.rpartition(":")[2]
    name = part_of_path(word[:LONGEST_NAME])
    return "player" if name is None or name == "referee" else name


class CannotGoOn(Exception):
    """The league in this folder has begun, and cannot be taken up like this; the sentence says why."""


class OtherPlan(CannotGoOn):
    """It was begun with other options; the sentence says which."""


class Begun(msgspec.Struct, frozen=True):
    """With which options a league was begun: what its agents have in their logs, and would not change any more."""

    strategies: tuple[str, ...]
    game_type: str
    time_scale: float

    @classmethod
    def of(cls, plan: Plan) -> "Begun":
        return cls(tuple(plan.strategies), plan.game_type, plan.time_scale)

    def options(self) -> Mapping[str, str]:
        """As they are given to the command."""
        chosen = " --strategy ".join(dict.fromkeys(self.strategies))
        players = str(len(self.strategies))
        return {
            "--players": players,
            "--game": self.game_type,
            "--time-scale": str(self.time_scale),
            "--strategy": chosen,
        }


def refuse_to_go_on(plan: Plan) -> None:
    """Raises `CannotGoOn` where the league has begun, and cannot be taken up by this plan or any more."""
    try:
        begun = msgspec.json.decode(plan.begun.read_bytes(), type=Begun)
    except FileNotFoundError:
        return
    except msgspec.DecodeError as fault:
        raise CannotGoOn(
            f"{plan.begun} does not say any more with what the league was begun: {fault}. Restore it, or delete it "
            "and give the same options as at the beginning, or give another --league or --data."
        ) from None
    _refuse_other_plan(plan, begun)
    if not plan.log_of("manager").exists() or plan.log_of("manager").stat().st_size == 0:
        raise CannotGoOn(
            f"The league {plan.league_id} in {plan.data} has begun, but its log {plan.log_of('manager')} is gone: "
            "restore it, or begin another league with another --league or --data."
        )


def _refuse_other_plan(plan: Plan, begun: Begun) -> None:
    if begun == (given := Begun.of(plan)):
        return
    now = given.options()
    how = next((f"{name} {text}" for name, text in begun.options().items() if now[name] != text), "another order")
    raise OtherPlan(
        f"The league {plan.league_id} in {plan.data} was begun with {how}: "
        "give the same options again, or another --league or --data."
    )


class LeagueProcesses:
    """The processes of a league."""

    def __init__(self, plan: Plan, begun: Callable[[str], None], show: Callable[[Scoreboard], None]) -> None:
        """`begun` is told where the league can be watched, `show` how it goes, whenever something has changed."""
        self.plan = plan
        self._begun = begun
        self._show = show
        self._children: list[Child] = []
        self._turns = asyncio.Semaphore(AT_ONCE)
        self.was_over = False
        """The league was over before anybody was started."""

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""
        return [child.pid for child in self._children if child.is_running]

    def pid_of(self, name: str) -> int:
        return next(child.pid for child in self._children if child.name == name)

    def failing(self) -> tuple[Failing, ...]:
        """The strategies that have failed in this run, as the logs of their players say."""
        strategies = dict(zip(self.plan.names, self.plan.strategies, strict=True))
        told: dict[str, Failing] = {}
        for child in self._children:
            if (strategy := strategies.get(child.name)) and (failures := child.failures()):
                new = Failing(strategy=strategy, failures=0, first=failures[0], log=str(child.log_file))
                before = told.get(strategy, new)
                told[strategy] = replace(before, failures=before.failures + len(failures))
        return tuple(told.values())

    async def run(self) -> Scoreboard:
        """Play the league, or what is left of it, and give its last board. Raises `DidNotStart` and `CannotGoOn`."""
        self.plan.stores.mkdir(parents=True, exist_ok=True, mode=0o700)  # logs have tokens and seeds in them
        refuse_to_go_on(self.plan)
        self.plan.logs.mkdir(parents=True, exist_ok=True)
        try:
            async with asyncio.TaskGroup() as group:
                home = await self._start_manager(group)
                self.was_over = await self._is_over(home)
                if not self.was_over:
                    self._begun(home)
                    await self._start_others(group, f"{home}/mcp")
                board = await self._follow(home)
                await self._end()
            return board
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """Referees first: a player that is gone before them would be one that cannot be reached."""
        for role in ("referee", "player", "manager"):
            await asyncio.gather(*(child.stop() for child in self._children if child.role == role))

    # its beginning

    async def _start_manager(self, group: asyncio.TaskGroup) -> str:
        """The manager first, whom all others need; where it is."""
        plan, players = self.plan, str(len(self.plan.strategies))
        manager = await self._start(
            group,
            "manager",
            *("--league", plan.league_id, "--game", plan.game_type),
            *("--players", players, "--most-players", players, "--port", str(plan.port)),
        )
        write_whole(plan.begun, msgspec.json.encode(Begun.of(plan)))
        return manager.endpoint.removesuffix("/mcp")

    async def _is_over(self, home: str) -> bool:
        """Then referees and players would only leave again. A manager that dies now is asked by who follows it.

        This is the first look, before anything is played: rounds may be over when the last player has started.
        """
        with suppress(*CANNOT_SAY):
            async with aiohttp.ClientSession() as session:
                return (await self._look(session, home)).progress is Progress.COMPLETED
        return False

    async def _start_others(self, group: asyncio.TaskGroup, manager: str) -> None:
        """Players first: a referee that goes on with its matches is to find them there."""
        plan = self.plan
        at = ("--manager", manager, "--port", "0")
        referees = (
            self._start(group, "referee", "--name", f"referee-{number}", "--capacity", str(plan.capacity), *at)
            for number in range(1, plan.referees + 1)
        )
        players = (
            self._start(group, "player", "--name", name, "--strategy", strategy, *self._seed(name), *at)
            for name, strategy in zip(plan.names, plan.strategies, strict=True)
        )
        for starting in (players, referees):
            await asyncio.wait([group.create_task(start) for start in starting])  # if one fails, the group ends all

    def _seed(self, name: str) -> tuple[str, ...]:
        return () if self.plan.seed is None else ("--seed", f"{self.plan.seed} {name}")

    async def _start(self, group: asyncio.TaskGroup, role: str, *arguments: str) -> Child:
        plan = self.plan
        name = arguments[1] if role != "manager" else role
        kept = ("--data", str(plan.data), "--store", str(plan.log_of(name)))
        common = (*kept, "--time-scale", str(plan.time_scale))
        child = Child(name, (role, *arguments, *common), plan.logs)
        self._children.append(child)
        async with self._turns:
            await child.start()
        group.create_task(child.outlast())
        return child

    # its course

    async def _follow(self, home: str) -> Scoreboard:
        """Show every change until the league is over; keep its report. A manager that dies comes back."""
        async with aiohttp.ClientSession() as session:
            while True:
                with suppress(*CANNOT_SAY):
                    board = await self._watch(session, home)
                    if board.progress is Progress.COMPLETED:
                        write_whole(self.plan.report, await _fetched(session, f"{home}/report"))
                        return board
                await asyncio.sleep(AGAIN_SECONDS)

    async def _watch(self, session: aiohttp.ClientSession, home: str) -> Scoreboard:
        """Show the board whenever the manager says that it has changed, until the league or the manager is gone."""
        async with session.get(f"{home}/events", timeout=aiohttp.ClientTimeout(sock_connect=5)) as news:
            board = await self._look(session, home)
            async for line in news.content:
                if board.progress is Progress.COMPLETED:
                    break
                if line.startswith(b"data:"):
                    board = await self._look(session, home)
            return board

    async def _look(self, session: aiohttp.ClientSession, home: str) -> Scoreboard:
        board = decode(await _fetched(session, f"{home}/board.json"), Scoreboard)
        self._show(board)
        return board

    async def _end(self) -> None:
        """Players and referees leave by themselves when they hear that the league is over; who does not is ended."""
        manager, *others = self._children
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS * self.plan.time_scale + 1):
                await asyncio.gather(*(child.ended() for child in others))
        for child in (*others, manager):
            await child.stop()


async def _fetched(session: aiohttp.ClientSession, url: str) -> bytes:
    async with session.get(url, timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS)) as answer:
        answer.raise_for_status()
        return await answer.read()
