"""A match as a file: its life, everything that was said, and how it ended.

The file is SHARED/data/matches/<league_id>/<match_id>.json, and players may be able to read it. So before the match is
over it names what was said, and shows only what both players may know; after that it shows everything.

It is a function of the referee's log: what is replayed after a restart makes the same file again.
"""

from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Any

import msgspec

from turnstile.agents.process.journal import transition_of
from turnstile.durable.files import part_of_path
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Hop, Rejection, Step
from turnstile.kernel.values import Event, Instant, Message, encode, wire_name
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameInvitation,
    GameJoinAck,
    LeagueMessage,
    LeagueQuery,
    LeagueQueryResponse,
)
from turnstile.league.protocol.values import GameResult
from turnstile.league.protocol.words import LEAGUE_MANAGER, player_address
from turnstile.league.referee.calls import score_of
from turnstile.league.referee.state import MatchAssigned, Phase, State

OPEN_TO_ALL = (GameInvitation, GameJoinAck, LeagueQuery, LeagueQueryResponse, ChooseParityCall)
"""What may be shown while the match is played: nothing in them is a secret of one player, or of the draw."""

FINISHED = "FINISHED"


class Transcript:
    """What is known of a match so far. Everything in it is a value; `rendered` may be asked in any thread."""

    def __init__(self, given: MatchAssigned, referee: str, at: Instant) -> None:
        self.given = given
        self.referee = referee
        self.assigned = at
        self.phase: str = Phase.IDLE.value
        self.result: GameResult | None = None
        self.is_reported = False
        self.finished: Instant | None = None
        self.last: State | None = None
        """The referee when the result was reported; it forgets the match afterwards."""
        self._hops: list[tuple[Instant, Hop]] = []
        self._said: list[tuple[Instant, str, str, Message]] = []

    def add(self, at: Instant, event: Event, result: Step[State] | Rejection) -> None:
        """One more thing has happened."""
        if isinstance(result, Rejection):
            return
        state = result.state
        me = f"referee:{self.referee}"
        if isinstance(event, LeagueMessage):
            self._said.append((at, speaker(event), me, event))
        self._said += [(at, me, effect.to, effect.message) for effect in result.effects if isinstance(effect, Send)]
        self._hops += [(at, hop) for hop in result.trace]
        self.phase = state.phase.value
        self.result = state.result or self.result
        self.is_reported = state.is_reported or self.is_reported
        if state.phase is Phase.MATCH_COMPLETE:
            self.finished, self.last = at, state

    @property
    def is_withdrawn(self) -> bool:
        """It was given to another referee before it was complete."""
        return bool(self._hops) and self.phase == Phase.IDLE and self.finished is None

    def rendered(self) -> bytes:
        """The file."""
        content = {
            "match_id": self.given.match.match_id,
            "league_id": self.given.league_id,
            "round_id": self.given.round_id,
            "game_type": self.given.match.game_type,
            "referee_id": self.referee,
            "players": {"PLAYER_A": self.given.match.player_a_id, "PLAYER_B": self.given.match.player_b_id},
            "lifecycle": self._lifecycle(),
            "transcript": [self._line(*said) for said in tuple(self._said)],
            "result": self._result(),
        }
        return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"

    def _lifecycle(self) -> dict[str, Any]:
        hops = [{"at": timestamp(at), **transition_of(hop)} for at, hop in tuple(self._hops)]
        return {
            "state": FINISHED if self.finished is not None else self.phase,
            "assigned_at": timestamp(self.assigned),
            "finished_at": None if self.finished is None else timestamp(self.finished),
            "is_reported": self.is_reported,
            "transitions": hops,
        }

    def _line(self, at: Instant, by: str, to: str, message: Message) -> dict[str, Any]:
        may_show = self.result is not None or isinstance(message, OPEN_TO_ALL)
        return {
            "timestamp": timestamp(at),
            "from": by,
            "to": to,
            "message_type": wire_name(type(message)),
            "message": msgspec.Raw(encode(message)) if may_show else None,
        }

    def _result(self) -> dict[str, Any] | None:
        if self.result is None:
            return None
        return {**msgspec.json.decode(encode(self.result)), "score": dict(score_of(self.result))}


def speaker(event: LeagueMessage) -> str:
    """The sender of a message to a referee: the player that it names, or the league manager."""
    player = getattr(event, "player_id", None)
    return LEAGUE_MANAGER if player is None else player_address(player)


def timestamp(at: Instant) -> str:
    """An instant as league.v2 writes it, to the millisecond."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# where it is kept


def match_path(data: Path, transcript: Transcript) -> Path | None:
    """The file of a match; `None` if its ids are not valid file names."""
    league, match = part_of_path(transcript.given.league_id), part_of_path(transcript.given.match.match_id)
    if league is None or match is None or part_of_path(transcript.referee) is None:
        return None
    return data / "data" / "matches" / league / f"{match}.json"


def own_place(transcript: Transcript, path: Path) -> Path:
    """Where the file of a match goes that is to stand in a place.

    When another referee's file is there, and that referee may be the one who has the match, ours stands beside it until
    the league manager has booked our result.
    """
    if transcript.is_reported or _content(path).get("referee_id") in (None, transcript.referee):
        return path
    return _beside(path, transcript.referee)


def stale_files(transcript: Transcript, path: Path) -> list[Path]:
    """The files of a match that do not count any more, now that ours is written.

    When our result is booked, those of all other referees. When another's is, or another was given the match, ours.
    """
    if transcript.is_reported:
        beside = path.parent.glob(f"{escape(path.stem)}.*{path.suffix}")
        return [each for each in beside if _content(each).get("match_id") == transcript.given.match.match_id]
    if transcript.is_withdrawn:
        return [own_place(transcript, path)]
    there = _content(path)
    is_anothers = there.get("referee_id") != transcript.referee and _is_booked(there)
    return [_beside(path, transcript.referee)] if is_anothers else []


def _beside(path: Path, referee: str) -> Path:
    return path.with_name(f"{path.stem}.{referee}{path.suffix}")


def _is_booked(content: dict[str, Any]) -> bool:
    lifecycle = content.get("lifecycle")
    return isinstance(lifecycle, dict) and lifecycle.get("is_reported") is True


def _content(path: Path) -> dict[str, Any]:
    """What stands in the file of a match; nothing where there is none that can be read."""
    try:
        found = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeError):
        return {}
    return found if isinstance(found, dict) else {}
