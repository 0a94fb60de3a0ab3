"""Tables in a notation of their own: `play(started("e-card", "ana bo"), "ana C", "later 5", "bo resigns")`.

What people do: `ana joins`, `ana joins as agent`, `ana leaves`, `ana adds hal`, `ana removes hal`, `ana closes`,
`ana starts`, `ana says luck`, `ana resigns`, `ana rematches`. What the server notices: `acks` (everyone has it all),
`acks ana 3`, `ring acks`, `ring acks ana 3`, `ring clock ana`, `ana returns`, `lost 60`, `halt`, `succeeded`. `later 5`
lets seconds pass. Anything else is a move in the notation of its game; `!2` at its end: decided on update 2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from msgspec import Raw

from tests.rules.ecard import matches as ecard_matches
from tests.rules.evenodd import matches as evenodd_matches
from tests.rules.sixtysix import matches as sixtysix_matches
from tests.rules.updown import matches as updown_matches
from tests.table import toys
from turnstile.games import ecard
from turnstile.kernel import ByPlayer, Event, PlayerId, Rejection, Seed, Step, encode
from turnstile.kernel.values import Instant, LogId
from turnstile.registry import find_game
from turnstile.table import machine
from turnstile.table.clocks import ACKS, timer_of
from turnstile.table.messages import Told
from turnstile.table.values import (
    Acknowledge,
    Act,
    AddBot,
    AddWords,
    Clock,
    Close,
    Halt,
    Header,
    Join,
    Kind,
    Leave,
    Per,
    Phase,
    Rematch,
    RematchFailed,
    Remove,
    Resign,
    Resume,
    Return,
    Ring,
    RunOut,
    Settings,
    Start,
    State,
    Succeeded,
)
from turnstile.table.wire import write_whole

Eyes = PlayerId | None
Table = State[Any]

ANA, BO, CY = (PlayerId(name) for name in ("ana", "bo", "cy"))
OPENED = Instant(1_000_000)
SEED = Seed("a seed that nobody knows")
MOVES: dict[str, Callable[[str], Event]] = {
    "e-card": ecard_matches.event,
    "even-odd": evenodd_matches.event,
    "66": sixtysix_matches.event,
    "up-down": updown_matches.event,
    "hourglass": toys.event,
    "gated-hourglass": toys.event,
}


class Update(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One update as its player reads it on the wire."""

    seq: int
    messages: list[dict[str, Any]]
    view: dict[str, Any] | None
    actions: list[dict[str, Any]]

    @property
    def names(self) -> str:
        """The names of its messages."""
        return " ".join(str(message["type"]) for message in self.messages) or "-"


@dataclass(frozen=True, slots=True)
class Sitting:
    """A table, all that was told at it so far, and what a clock on the wall shows."""

    state: Table
    clock: Instant = OPENED
    streams: Mapping[Eyes, tuple[Update, ...]] = field(default_factory=dict)

    @property
    def match(self) -> Any:
        """The match on the table; only its game knows of what type it is."""
        return self.state.match

    def stream(self, player: Eyes) -> list[str]:
        """The names of the messages in each update of a stream; `-` where there are none."""
        return [update.names for update in self.streams.get(player, ())]

    def last(self, player: Eyes) -> Update:
        return self.streams[player][-1]


# tables


def opened(game: str = "e-card", **settings: Any) -> Sitting:
    """Ana's table, with no player seated. A clock is written as `clock="60 per move, then bot"`."""
    known = find_game(game)
    assert known is not None
    options = Raw(encode(settings.pop("options", {})))
    if isinstance(text := settings.pop("clock", None), str):
        settings["clock"] = clock(text)
    header = Header(LogId("t1"), game, known.version, options, ANA, OPENED, Settings(**settings))
    state = machine.open_table(header)
    assert isinstance(state, State), state
    return Sitting(state)


def clock(text: str) -> Clock:
    seconds, _, per, _, then = text.replace(",", "").split()
    return Clock(float(seconds), Per(per), RunOut(then))


def seated(game: str = "e-card", players: str = "ana bo", **settings: Any) -> Sitting:
    """A table at which these players have sat down; `hal*` is a bot."""
    texts = [f"ana adds {name[:-1]}" if name.endswith("*") else f"{name} joins" for name in players.split()]
    return play(opened(game, **settings), *texts)


def starting(game: str = "e-card", players: str = "ana bo", **settings: Any) -> Sitting:
    """A table that waits until all have seen the commitment."""
    return play(seated(game, players, **settings), "ana starts")


def started(game: str = "e-card", players: str = "ana bo", **settings: Any) -> Sitting:
    """A table at which all have heard everything and a player is to move."""
    return heard(starting(game, players, **settings))


def heard(sitting: Sitting) -> Sitting:
    """The table once everyone has acknowledged whatever it waits for."""
    while sitting.state.phase in (Phase.STARTING, Phase.GATHERING):
        sitting = play(sitting, "acks")
    return sitting


def around(match: Any, **settings: Any) -> Sitting:
    """A table of 66 around a match that was made by hand; nothing is untold, nothing unacknowledged."""
    alone = started("66", " ".join(match.players), **settings)
    nothing = ByPlayer.same(match.players, 0)
    state = msgspec.structs.replace(
        alone.state,
        match=match,
        told=nothing,
        acked=nothing,
        awaited=nothing,
        actions_since=nothing,
        timers=(),
        watched=0,
    )
    return Sitting(state, alone.clock)


# what happens


def play(sitting: Sitting, *texts: str | Event) -> Sitting:
    """The table after all of this, every bit of it accepted."""
    for text in texts:
        if isinstance(text, str) and text.startswith("later "):
            sitting = replace(sitting, clock=Instant(sitting.clock + round(1000 * float(text.split()[1]))))
        else:
            sitting = _after(sitting, taken(sitting, text))
    return sitting


def taken(sitting: Sitting, text: str | Event) -> Step[Table]:
    """One accepted event, with its effects."""
    step = machine.table.step(sitting.state, event(sitting, text))
    assert isinstance(step, Step), f"{text}: {step}"
    return step


def _after(sitting: Sitting, step: Step[Table]) -> Sitting:
    streams = dict(sitting.streams)
    for effect in step.effects:
        assert isinstance(effect, Told), effect
        update = msgspec.json.decode(write_whole(effect), type=Update)
        assert update.seq == effect.seq == len(streams.get(effect.player, ())) + 1, "a stream has no gaps"
        streams[effect.player] = (*streams.get(effect.player, ()), update)
    return replace(sitting, state=step.state, streams=streams, clock=max(sitting.clock, step.state.now))


def refused(sitting: Sitting, text: str | Event) -> Rejection:
    answer = machine.table.apply(sitting.state, event(sitting, text))
    assert isinstance(answer, Rejection), f"{text} was accepted"
    return answer


def refusal(sitting: Sitting, text: str | Event) -> str:
    """The code with which something is refused."""
    return refused(sitting, text).code


def batches(sitting: Sitting, *texts: str) -> list[str]:
    """What is told after these moves, gate by gate, until a player may move: `alice YourTurn, bob NextTurn`."""
    told = []
    for text in texts:
        after = play(sitting, text)
        told.append(_between(sitting, after))
        while after.state.phase is Phase.GATHERING:
            sitting, after = after, play(after, "acks")
            told.append(_between(sitting, after))
        sitting = after
    return [batch for batch in told if batch]


def _between(before: Sitting, after: Sitting) -> str:
    """The messages that have come since, without the updates that have none."""
    news = [
        (player, name)
        for player in sorted(after.state.players)
        for name in after.stream(player)[before.state.told[player] :]
    ]
    return ", ".join(f"{player} {name}" for player, name in news if name != "-")


# texts


def event(sitting: Sitting, text: str | Event) -> Event:
    """What a text stands for."""
    if not isinstance(text, str):
        return text
    words = text.split()
    noticed = _noticed(sitting, words)
    return noticed or _command(sitting, words) or _act(sitting, text)


def _cursors(pairs: list[str]) -> ByPlayer[int]:
    return ByPlayer(zip(map(PlayerId, pairs[::2]), map(int, pairs[1::2]), strict=True))


def _noticed(sitting: Sitting, words: list[str]) -> Event | None:
    state, now = sitting.state, sitting.clock
    match words:
        case ["acks"]:
            return Acknowledge(now, state.told)
        case ["acks", *pairs]:
            return Acknowledge(now, _cursors(pairs))
        case ["ring", "acks", *pairs]:
            deadline = timer_of(state, ACKS)
            assert deadline is not None, "the table waits for no player"
            return Ring(max(now, deadline.due), ACKS, deadline.due, _cursors(pairs))
        case ["ring", *name]:
            timer = timer_of(state, " ".join(name))
            assert timer is not None, f"{' '.join(name)} is not running"
            return Ring(max(now, timer.due), timer.name, timer.due)
        case [player, "returns"]:
            return Return(now, PlayerId(player))
        case ["lost", seconds]:
            return Resume(Instant(now + int(seconds) * 1000), int(seconds) * 1000)
        case ["halt"]:
            return Halt(now, "the roof came down")
        case ["succeeded"]:
            return Succeeded(now)
        case ["rematch", "failed"]:
            return RematchFailed(now)
    return None


def _command(sitting: Sitting, words: list[str]) -> Event | None:
    who = (PlayerId(words[0]), "1", sitting.clock)
    match words[1:]:
        case ["joins"]:
            return Join(*who)
        case ["joins", "as", kind]:
            return Join(*who, Kind(kind))
        case ["leaves"]:
            return Leave(*who)
        case ["adds", name]:
            return AddBot(*who, PlayerId(name), PlayerId("random"))
        case ["removes", name]:
            return Remove(*who, PlayerId(name))
        case ["closes"]:
            return Close(*who)
        case ["starts"]:
            return Start(*who, SEED)
        case ["says", said]:
            return AddWords(*who, said)
        case ["resigns"]:
            return Resign(*who)
        case ["rematches"]:
            return Rematch(*who, LogId(f"a table for {words[0]}"))
    return None


def _act(sitting: Sitting, text: str) -> Act:
    """A move by the player with whom the text begins."""
    text, _, seen = text.partition("!")
    player = PlayerId(text.split()[0])
    move = MOVES[sitting.state.header.game](text)
    return Act(player, "1", sitting.clock, Raw(encode(move)), int(seen) if seen else None)


def raw_act(sitting: Sitting, player: str, move: object, seen: int | None = None) -> Act:
    """A player sends this as its move, whatever it is."""
    return Act(PlayerId(player), "1", sitting.clock, Raw(encode(move)), seen)


def picks(sitting: Sitting) -> tuple[PlayerId, PlayerId]:
    """Who is the emperor now, and who the slave, at a table of E-Card."""
    roles = sitting.match.roles
    assert isinstance(roles, ecard.Roles)
    return roles.emperor_player, roles.slave_player
