"""Requests and their answers, on their way between players and servers, and what must be true of every answer."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.world.simulated.client import PASSING, Player
from tests.world.simulated.server import Process
from turnstile.host import Refused
from turnstile.host.logs import command_of, part_of_sender
from turnstile.kernel.values import LogId, PlayerId, encode
from turnstile.table.values import Accepted, Act, Code, Command

if TYPE_CHECKING:
    from tests.world.world import World


class Mail:
    """All that was ever sent and answered. Commands are named by their table and their key in its log."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.contents: dict[tuple[LogId, str], set[bytes]] = {}
        """What was ever sent under each id."""
        self.arrivals: Counter[tuple[LogId, str]] = Counter()
        self.answers: dict[tuple[LogId, str], list[Any]] = {}
        self.acked_at: dict[tuple[LogId, PlayerId], tuple[int, str]] = {}
        """How far each player has said it has its stream, and to which server it said so last."""

    def send(self, who: str, table: LogId, command: Command, reply: Callable[[Any], object]) -> None:
        """A command on its way to any process."""
        place, key = self._world.faults.randrange(len(self._world.processes)), (table, command_of(command))
        self.contents.setdefault(key, set()).add(encode(part_of_sender(command)))
        self._world.trace(who, "sends", type(command).__name__, command.id, "to", place)

        def arrive() -> None:
            process = self._world.processes[place]
            if process is not None and process.is_ready:
                self.arrivals[key] += 1
                knows = self._known(key, command)
                process.serve(lambda host: host.submit(table, command), partial(answered, knows), key)

        def answered(knows: tuple[bool, int], answer: Any) -> None:
            self._check_refusal(key, command, knows, answer)
            self._answered(who, key, answer)
            reply(answer)

        for delay in self._world.fates():
            self._world.elsewhere(delay, arrive)

    def _known(self, key: tuple[LogId, str], command: Command) -> tuple[bool, int]:
        """What is durable when a command arrives: whether it is there already, and how much its sender was told."""
        audit = self._world.audits.get(key[0])
        if audit is None:
            return False, 0
        is_there = key[1] in audit.commands and len(self.contents[key]) == 1
        if is_there:
            self._world.reach("a command is repeated")
        return is_there, audit.state.told.get(command.player, 0)

    def _check_refusal(
        self, key: tuple[LogId, str], command: Command, knows: tuple[bool, int], answer: Accepted | Refused
    ) -> None:
        """A refusal is about what is durable: never about what was, never of what was accepted before."""
        if isinstance(answer, Accepted) or answer.error.code in PASSING:
            return
        was_there, told = knows
        if was_there:
            self._world.fail("same answer", f"{key} was in the log, and was refused: {answer}")
        is_future = answer.error.code == Code.FUTURE_VERSION
        if is_future and isinstance(command, Act) and command.seen is not None and 0 <= command.seen <= told:
            self._world.fail("fresh", f"{key} had seen {command.seen} of {told}, and was refused: {answer}")

    def _answered(self, who: str, key: tuple[LogId, str], answer: Any) -> None:
        before = self.answers.setdefault(key, [])
        self._world.trace(who, "is answered", answer)
        if isinstance(answer, Accepted):
            self._world.audits[key[0]].was_accepted(key[1], answer)
            if any(isinstance(earlier, Accepted) for earlier in before):
                self._world.reach("the stored answer is given")
            for earlier in before:
                if isinstance(earlier, Refused):
                    self._world.reach(f"{earlier.error.code}, then accepted")
        else:
            self.refused(who, key[1], answer)
        before.append(answer)

    def refused(self, who: str, what: str, answer: Refused) -> None:
        self._world.trace(who, what, "is refused", answer.error.code)
        self._world.reach(f"refused: {answer.error.code}")

    def acknowledge(self, player: Player, process: Process | None, seq: int) -> None:
        name, table = player.player, player.plan.name
        assert name is not None
        if process is None:
            return

        def answered(answer: Any) -> None:
            if isinstance(answer, Refused):
                self.refused(player.name, f"ack {seq}", answer)

        def arrive() -> None:
            if process.is_alive and process.is_ready:
                self.acked_at[table, name] = (seq, process.name)
                process.serve(lambda host: host.acknowledge(table, name, seq), answered, None)

        self._world.trace(player.name, "acknowledges", seq)
        for delay in self._world.fates():
            self._world.elsewhere(delay, arrive)

    def check_refused(self) -> None:
        """What came once, and was refused, has left no trace."""
        for (table, key), answers in self.answers.items():
            is_there = table in self._world.audits and key in self._world.audits[table].commands
            codes = {answer.error.code for answer in answers if isinstance(answer, Refused)}
            if is_there and self.arrivals[table, key] == 1 and codes and "OutcomeUnknown" not in codes:
                self._world.fail("refused", f"{table}: {key} was refused ({codes}) and took effect")
