"""`python -m tools.logs`: the logs of a few tables, as lines, into tests/logs. What is there already is left alone.

They are written once: a release that reads one of them differently has changed what is stored at its users', and must
raise the version of tables, or of the game. Each scenario is a function; its name and its game are the file's name.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec import Raw

from tools.league_logs import league_logs
from turnstile.durable.log import begin, draft, fingerprint, follow, replay
from turnstile.durable.upkeep import save_entries
from turnstile.host.logs import TABLES, TableEvent
from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId, encode
from turnstile.registry import find_game
from turnstile.store.log import Entry, entry
from turnstile.store.protocol import Saved
from turnstile.table.clocks import ACKS, clock_of, timer_of
from turnstile.table.machine import Table, table
from turnstile.table.values import (
    Acknowledge,
    Act,
    AddBot,
    AddWords,
    Clock,
    Halt,
    Header,
    Join,
    Kind,
    Leave,
    Per,
    Phase,
    Rematch,
    RematchFailed,
    Resign,
    Resume,
    Return,
    Ring,
    RunOut,
    Settings,
    Start,
    Succeeded,
)

FOLDER = Path(__file__).parent.parent / "tests" / "logs"
LEAGUES = FOLDER / "league"
NOON = Instant(1_800_000_000_000)
ANA, BO = PlayerId("ana"), PlayerId("bo")


class Writing:
    """A table at which we say what happens and when, and the log that comes of it. No host, no store, no clock."""

    def __init__(self, game: str, settings: Settings | None = None, version: int | None = None) -> None:
        found = find_game(game)
        assert found is not None
        self.game = found
        self.time = NOON
        self._chance = Random(game)
        header = Header(LogId("golden"), game, version or found.version, Raw(b"{}"), ANA, NOON, settings or Settings())
        made, self.kept = begin(TABLES, header.table, encode(header), header.at)
        self.entries = [made]

    @property
    def state(self) -> Table:
        return self.kept.state

    @property
    def log(self) -> Saved:
        return Saved(self.entries[0], None, tuple(self.entries[1:]))

    def now(self, later: int = 100) -> Instant:
        """A moment later than the last one."""
        self.time = Instant(self.time + later)
        return self.time

    def happen(self, *events: TableEvent) -> None:
        for event in events:
            after = table.apply(self.state, event)
            assert not isinstance(after, Rejection), (event, after)
            commit, self.kept = draft(TABLES, self.kept.state.header.table, self.kept, event, event.at, after)
            self.entries.append(commit.entry)

    def sit_down(self, *players: PlayerId) -> None:
        for player in players:
            self.happen(Join(player, "join", self.now()))

    def start(self) -> None:
        self.happen(Start(ANA, "start", self.now(), Seed("a seed that nobody knows")))

    def hear(self) -> None:
        """Everyone who is here acknowledges everything."""
        here = [seat.player for seat in self.state.seats if not seat.is_away]
        self.happen(Acknowledge(self.now(), ByPlayer({player: self.state.told[player] for player in here})))

    def come_back(self) -> None:
        """Everyone who is away is heard of again."""
        away = [seat.player for seat in self.state.seats if seat.is_away]
        assert away
        self.happen(*(Return(self.now(), player) for player in away))

    def ring(self, name: str) -> None:
        """Wait until a timer runs out."""
        timer = timer_of(self.state, name)
        assert timer is not None
        self.happen(Ring(self.now(max(0, timer.due - self.time)), name, timer.due))

    def move(self) -> None:
        """The first player to act does something, at random."""
        player, moves = self.game.next_to_act(self.state.match)
        move = self._chance.choice(moves)
        self.happen(Act(player, f"{len(self.entries)}", self.now(), Raw(encode(move)), self.state.told[player]))

    def play(self, moves: int = 10_000) -> None:
        """So many moves, or until the match is over; then as far as nothing but a player is waited for."""
        while self.state.phase is not Phase.FINISHED:
            if self.state.phase in (Phase.STARTING, Phase.GATHERING):
                self.hear()
            elif moves == 0:
                return
            else:
                self.move()
                moves -= 1


# scenarios


def e_card_words_and_rematch() -> Writing:
    """Words of one player, a whole match, and both agree to play again."""
    at = Writing("e-card")
    at.sit_down(BO)
    at.happen(Leave(BO, "leave", at.now()), Join(ANA, "join", at.now()), Join(BO, "join again", at.now(), Kind.AGENT))
    at.start()
    at.happen(AddWords(ANA, "words", at.now(), "words of my own ♥"))
    at.play()
    at.happen(Rematch(BO, "again", at.now(), LogId("next")), Rematch(ANA, "again", at.now(), LogId("other")))
    at.happen(Succeeded(at.now()))
    return at


def e_card_halted() -> Writing:
    """A match that was halted with one card on the table."""
    at = Writing("e-card")
    at.sit_down(ANA)
    at.happen(AddBot(ANA, "bot", at.now(), BO, PlayerId("random")))
    at.start()
    at.play(5)
    at.happen(Halt(at.now(), "the hall closes"))
    return at


def sixtysix_gates_away_and_return() -> Writing:
    """Gated play; a player is silent until the table goes on without it, and comes back; the match is played out."""
    at = Writing("66", Settings(ack_seconds=10.0))
    at.sit_down(ANA, BO)
    at.start()
    at.play(4)
    while at.state.phase is not Phase.GATHERING:
        at.move()
    at.ring(ACKS)
    at.come_back()
    at.play()
    return at


def up_down_clock_outage_and_resignation() -> Writing:
    """Three players with clocks for the whole match; the server is away for a while; one of them gives up."""
    at = Writing("up-down", Settings(clock=Clock(60.0, Per.MATCH, RunOut.FORFEIT), delay=2))
    at.sit_down(ANA, BO, PlayerId("cy"))
    at.start()
    at.play(8)
    at.happen(Resume(at.now(600_000), 590_000))
    at.play(20)
    at.happen(Resign(BO, "enough", at.now()))
    return at


def up_down_clock_runs_out_and_is_waited_for() -> Writing:
    """A clock for every move that runs out; the table waits, and the match is played out."""
    at = Writing("up-down", Settings(clock=Clock(5.0), spectators=False, is_listed=False))
    at.sit_down(ANA, BO)
    at.start()
    at.play(3)
    at.ring(clock_of(at.game.next_to_act(at.state.match)[0]))
    at.play()
    return at


def even_odd_out_of_time() -> Writing:
    """The commitment is not acknowledged in time by any player; then a clock runs out and costs the match."""
    at = Writing("even-odd", Settings(clock=Clock(30.0, Per.MOVE, RunOut.FORFEIT)))
    at.sit_down(ANA, BO)
    at.start()
    at.ring(ACKS)
    at.come_back()
    at.play(3)
    at.ring(clock_of(at.game.next_to_act(at.state.match)[0]))
    return at


def even_odd_rematch_failed() -> Writing:
    """A match that was resigned, and a rematch whose table could not be opened."""
    at = Writing("even-odd")
    at.sit_down(ANA, BO)
    at.start()
    at.play(2)
    at.happen(Resign(ANA, "resign", at.now()))
    at.happen(Rematch(BO, "again", at.now(), LogId("next")), Rematch(ANA, "again", at.now(), LogId("other")))
    at.happen(RematchFailed(at.now()))
    return at


SCENARIOS: tuple[Callable[[], Writing], ...] = (
    e_card_words_and_rematch,
    e_card_halted,
    sixtysix_gates_away_and_return,
    up_down_clock_outage_and_resignation,
    up_down_clock_runs_out_and_is_waited_for,
    even_odd_out_of_time,
    even_odd_rematch_failed,
)


def file_of(scenario: Callable[[], Writing], written: Writing) -> str:
    """The file of a scenario: game and version, then what happens."""
    name = scenario.__name__.replace("_", "-").replace("sixtysix", "66").removeprefix(f"{written.game.name}-")
    return f"{written.game.name}-v{written.game.version}-{name}.jsonl"


def with_every_fingerprint(log: Saved) -> list[Entry]:
    """The entries of a log, each with the fingerprint of its state: a server leaves most of them out."""
    name = LogId("golden")
    kept, entries = replay(TABLES, name, Saved(log.header, None, ())), [log.header]
    for found in log.entries:
        kept = follow(TABLES, name, kept, [found])
        seal = fingerprint(TABLES.write_state(kept.state))
        after = entries[-1].link
        entries.append(entry(after, found.position, found.at, found.event, seal, found.command, found.answer))
    return entries


def main() -> None:
    LEAGUES.mkdir(parents=True, exist_ok=True)
    for scenario in SCENARIOS:
        written = scenario()
        path = FOLDER / file_of(scenario, written)
        if not path.exists():
            path.write_bytes(save_entries(with_every_fingerprint(written.log)))
    for name, entries in league_logs():
        path = LEAGUES / name
        if not path.exists():
            path.write_bytes(save_entries(entries))


if __name__ == "__main__":
    main()
