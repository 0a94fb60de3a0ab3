"""A league from one seed: first a storm, in which anything may go wrong, then calm, in which it must come to its end.

`python -m tests.league.world.world SEED` plays one again and tells its story.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from tests.league.world import weather as weathers
from tests.league.world.agents import DIES, SOON, Exit, RoguePlayer, WatchedManager, WorldPlayer, WorldReferee
from tests.league.world.audit import Audit
from turnstile.kernel.chance import Seed
from turnstile.kernel.timers import Log
from turnstile.kernel.values import Instant, PlayerId, wire_name
from turnstile.league.local.league import player_options, referee_meta
from turnstile.league.local.network import Envelope, Network
from turnstile.league.manager.standings import standings
from turnstile.league.manager.state import Options, Phase, player_id
from turnstile.league.player.state import Phase as PlayerPhase
from turnstile.league.player.state import Question
from turnstile.league.protocol.messages import ChooseParityCall, GameInvitation, GameOver, RoundAnnouncement
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address, MatchId

CALM = 3600 * 1000
"""Milliseconds in which every league must end once nothing goes wrong any more."""
LONG = 600_000
"""Milliseconds for which a referee is away, unless it is started before that."""
MOST_TURNS = 20_000  # many more than any league needs that ends


class Violation(AssertionError):
    """Something that must never be, was."""

    def __init__(self, seed: int, promise: str, what: str) -> None:
        super().__init__(f"[{promise}] {what}\n    repeat it: python -m tests.league.world.world {seed}")
        self.promise = promise


class Later:
    """Something that is to happen later, for a network that wakes agents."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self.wakes_at: Instant | None = None
        self.happens = happens

    def start(self) -> None: ...

    def receive(self, envelope: Envelope) -> None: ...

    def fail(self, envelope: Envelope) -> None: ...

    def wake(self) -> None:
        self.happens()


class World(Network):
    """The network of a league in which things go wrong, and which is its own network."""

    def __init__(self, seed: int) -> None:
        super().__init__(self)
        self.seed = seed
        self.plan = weathers.drawn(Random(f"{seed} plan"))
        self.weather = self.plan.weather
        self.chance = Random(f"{seed} faults")
        self.notes: list[str] = []
        self.reached: Counter[str] = Counter()
        self.audit = Audit(self.fail)
        self.logs: dict[Address, Log] = {}
        self.match_logs: dict[Address, dict[MatchId, Log]] = {}
        self.gone: set[Address] = set()
        self.announced: dict[Address, Envelope] = {}
        self.manager: WatchedManager | None = None
        self.lives: Counter[Address] = Counter()
        self.ended: Instant | None = None
        self.shuttled: tuple[MatchId | None, tuple[Address, ...]] = (None, ())
        """The match that goes away and back, and the referees that have died in it."""
        self.turns = 0

    # what is written down

    def note(self, what: str) -> None:
        self.notes.append(f"{self.now / 1000:9.3f}  {what}")

    def fail(self, promise: str, what: str) -> None:
        self.note(f"VIOLATION of {promise}: {what}")
        raise Violation(self.seed, promise, what)

    # the network

    @property
    def is_stormy(self) -> bool:
        return self.now < self.weather.storm

    def send(self, envelope: Envelope) -> None:
        self._maybe_die(envelope)
        super().send(envelope)
        self._maybe_die(envelope)

    def carry(self, envelope: Envelope) -> Sequence[int]:
        self.audit.sent(envelope, self.agent_at(envelope.sender), is_honest=self._is_honest(envelope.sender))
        delays = self._delays(envelope)
        self.note(f"{envelope.sender} -> {envelope.to}: {_shown(envelope)} {_fate(delays)}")
        if isinstance(envelope.message, RoundAnnouncement):
            self._bring_belated(envelope, envelope.message)
        if self.weather.untold and self.is_stormy and isinstance(envelope.message, GameOver):
            self.later(0, lambda: self.lose_a_referee(self.addresses[envelope.sender]))
        if self.weather.away_and_back and isinstance(envelope.message, ChooseParityCall | GameOver):
            self._send_away(self.addresses[envelope.sender], envelope.message)
        if isinstance(envelope.message, GameInvitation):
            self._note_return(envelope.sender, envelope.message)
        return delays

    def _send_away(self, home: Address, said: ChooseParityCall | GameOver) -> None:
        """The first referee of a match dies when it has said this, and so does the second, which brings the first back.

        Which of the two messages it is, is drawn for each of them.
        """
        shuttled, referees = self.shuttled
        if shuttled not in (None, said.match_id) or home in referees or len(referees) == 2:
            return
        if type(said) is not Random(f"{self.seed} {home} away").choice((ChooseParityCall, GameOver)):
            return
        self.shuttled = said.match_id, (*referees, home)
        self.later(0, lambda: self.bury(Exit(home, "is away", downtime=LONG)))
        if referees:
            self.later(SOON, lambda: self.begin(referees[0]))

    def _note_return(self, referee: Address, said: GameInvitation) -> None:
        if said.match_id == self.shuttled[0] and len(self.shuttled[1]) == 2:
            is_first = self.addresses[referee] == self.shuttled[1][0]
            self.reached["a match was begun anew by its first referee"] += is_first

    def _bring_belated(self, envelope: Envelope, said: RoundAnnouncement) -> None:
        """What was announced of the same round before may come once more, while what replaces it is acted on."""
        before = self.announced.get(envelope.to)
        self.announced[envelope.to] = envelope
        if before is None or not (self.weather.belated and self.is_stormy):
            return
        is_replaced = getattr(before.message, "round_id", None) == said.round_id
        if is_replaced and self.chance.random() < self.weather.belated:
            self.reached["an old announcement came late"] += 1
            self.later(self.weather.delay + self._delay(), lambda: self.deliver(before))

    def _delays(self, envelope: Envelope) -> Sequence[int]:
        if not self.is_stormy:
            return (0,)
        weather = self.weather
        if self.chance.random() < weather.refused:
            self.reached["an envelope was refused"] += 1
            self.later(self._delay(), lambda: self._bounce(envelope))
            return ()
        delays = [] if self.chance.random() < weather.lost else [self._delay()]
        if self.chance.random() < weather.doubled:
            delays.append(self._delay())
        self.reached[f"an envelope arrived {len(delays)} times"] += 1
        return delays

    def _delay(self) -> int:
        return int(self.chance.random() ** 3 * (self.weather.delay + 1))

    def _bounce(self, envelope: Envelope) -> None:
        sender = self.agent_at(envelope.sender)
        if sender is not None:
            sender.fail(envelope)

    def deliver(self, envelope: Envelope) -> None:
        if self.agent_at(envelope.to) is None and self.is_stormy and self.chance.random() < 0.5:
            self.reached["an envelope came to nobody"] += 1
            return
        super().deliver(envelope)

    # death and life

    def _maybe_die(self, envelope: Envelope) -> None:
        """Whoever sends an envelope may die before it is on its way, or right after."""
        if self.is_stormy and self.chance.random() < self.weather.crash / 2:
            raise Exit(self.addresses.get(envelope.sender, envelope.sender), DIES)

    def turn(self) -> bool:
        try:
            if self.is_stormy and self.agents and self.chance.random() < self.weather.crash / 5:
                raise Exit(self.chance.choice(sorted(self.agents)), DIES)
            return super().turn()
        except Exit as end:
            self.bury(end)
            return True

    def bury(self, end: Exit) -> None:
        """An agent is gone, with all that it has not written down. It is started again after a while."""
        agent = self.agents.pop(end.home, None)
        if agent is None:
            return
        self.note(f"{end}")
        self.reached[f"{type(agent).__name__} {end.why.split(':')[0]}"] += 1
        agent.wakes_at = None  # an alarm that was set for it wakes nobody
        if end.home not in self.gone:
            downtime = self.chance.randrange(self.weather.downtime + 1) if end.is_crash else end.downtime
            self.later(downtime, lambda: self.begin(end.home))

    def lose_a_referee(self, home: Address) -> None:
        """One referee dies for good, the others stay."""
        if self.gone:
            return
        self.gone.add(home)
        self.bury(Exit(home, "dies for good"))

    def later(self, delay: int, happens: Callable[[], None]) -> None:
        self.wake_at(Instant(self.now + delay), Later(happens))

    def begin(self, home: Address) -> None:
        """Start an agent, or start it again from what it has written down. After the league only the manager is."""
        if home in self.agents or home in self.gone or (self.is_over and home != LEAGUE_MANAGER):
            return
        self.lives[home] += 1
        self.note(f"{home} starts")
        kind, _, number = home.removeprefix("local:").partition(":")
        if home == LEAGUE_MANAGER:
            self._begin_manager()
        elif kind == "referee":
            self._begin_referee(home, int(number))
        else:
            self._begin_player(home, int(number))

    def _begin_manager(self) -> None:
        options = Options(expected_players=self.plan.players)
        self.manager = WatchedManager(self, options, Seed(f"{self.seed} league"), log=self._log(LEAGUE_MANAGER))
        self.manager.world = self
        self.manager.start()

    def _begin_referee(self, home: Address, number: int) -> None:
        WorldReferee(
            self,
            referee_meta(number, self.plan.at_a_time),
            Seed(f"{self.seed} {home}"),
            log=self._log(home),
            logs=self.match_logs.setdefault(home, {}),
        ).start()

    def _begin_player(self, home: Address, number: int) -> None:
        habit = self.plan.habits[number - 1]
        kind = WorldPlayer if habit is None else RoguePlayer
        player = kind(
            self, player_options(f"Player {number}", number), self._strategy(home), Seed(home), log=self._log(home)
        )
        if isinstance(player, RoguePlayer):
            player.habit, player.rng = str(habit), Random(f"{self.seed} {home} {self.lives[home]}")
        player.start()

    def _log(self, home: Address) -> Log:
        return self.logs.setdefault(home, [])

    def _strategy(self, home: Address) -> Callable[[Question], str]:
        rng = Random(f"{self.seed} {home} strategy {self.lives[home]}")  # another after a restart
        return lambda question: rng.choice(("even", "odd"))

    def _is_honest(self, sender: Address) -> bool:
        kind, _, number = self.addresses.get(sender, sender).removeprefix("local:").partition(":")
        return kind == "player" and self.plan.habits[int(number) - 1] is None

    # the story

    @property
    def is_over(self) -> bool:
        return self.manager is not None and self.manager.state.phase is Phase.LEAGUE_COMPLETE

    def run(self) -> "World":
        self.note(f"{self.plan}")
        addresses = [LEAGUE_MANAGER, *(Address(f"local:referee:{number + 1}") for number in range(self.plan.referees))]
        addresses += [Address(f"local:player:{number + 1}") for number in range(self.plan.players)]
        for home in addresses:
            self.later(self._delay() if self.is_stormy else 0, lambda home=home: self.begin(home))  # type: ignore[misc]
        if self.weather.gone:
            self.later(self.weather.gone, lambda: self.lose_a_referee(Address("local:referee:1")))
        while self.turn():
            self.turns += 1
            if self.turns > MOST_TURNS or self.now > self.weather.storm + CALM:
                self.fail("live", f"the league does not end: {self._where()}")
        self._judge()
        return self

    def _where(self) -> str:
        assert self.manager is not None
        state = self.manager.state
        return f"{state.phase} in round {state.round_id} with {len(state.players)} players"

    def _judge(self) -> None:
        assert self.manager is not None
        state = self.manager.state
        if not self.is_over:
            self.fail("live", f"nothing happens any more: {self._where()}")
        players = [player_id(number + 1) for number in range(len(state.players))]
        if len(players) != self.plan.players:
            self.fail("pairings", f"{len(players)} players are registered")
        self.audit.finish(players, standings(state))
        if self.weather.is_fair:
            losers = self.audit.technical_losers() & self.honest_players()
            if losers:
                self.fail("just", f"{losers} have answered in time, and lost for not answering")
        honest = [agent for agent in self.agents.values() if type(agent) is WorldPlayer]
        if self.ended is not None and self.ended > self.weather.storm:
            self._judge_news(honest)
        if self.weather.is_perfect or (self.weather.is_fair and not any(self.plan.habits)):
            self._judge_statistics(honest)  # of a match that somebody declines the end may come before the beginning

    def honest_players(self) -> set[PlayerId]:
        return {
            PlayerId(address.removeprefix("player:"))
            for address in self.addresses
            if address.startswith("player:") and self._is_honest(address)
        }

    def _judge_news(self, players: list[WorldPlayer]) -> None:
        """Of a league that ends in calm everybody hears the end."""
        for player in players:
            if player.state.phase is not PlayerPhase.LEAGUE_COMPLETE:
                self.fail("told", f"{player.state.player_id} is {player.state.phase} when the league is over")

    def _judge_statistics(self, players: list[WorldPlayer]) -> None:
        """What players know at the end of a league in which everything arrives in time."""
        assert self.manager is not None
        rows = {row.player_id: row for row in standings(self.manager.state)}
        self._judge_news(players)
        for player in players:
            row, own = rows[player.state.me], player.state.statistics
            if (row.wins, row.draws, row.losses, row.points) != (own.wins, own.draws, own.losses, own.points):
                self.fail("statistics", f"{row} is not what the player has counted: {own}")
            if not all(match.is_fair in (True, None) for match in player.state.history):
                self.fail("fair", f"{player.state.me} has seen a draw that was not as promised")


def _shown(envelope: Envelope) -> str:
    match = envelope.match_id or getattr(envelope.message, "match_id", None) or ""
    return f"{wire_name(type(envelope.message))} {match}".rstrip()


def _fate(delays: Sequence[int]) -> str:
    if not delays:
        return "(lost)"
    return "" if list(delays) == [0] else f"({', '.join(f'{delay} ms' for delay in delays)})"


def main(words: list[str]) -> int:
    world = World(int(words[0]))
    try:
        world.run()
    except Violation as violation:
        print("\n".join(world.notes))
        print(violation)
        return 1
    print("\n".join(world.notes))
    for what, times in sorted(world.reached.items()):
        print(f"  {times:5} {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
