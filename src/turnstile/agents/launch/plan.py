"""The plan of a league on this machine: its options, its folders, and whether a league that has begun can continue."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from turnstile.agents.strategies.strategies import FORMS
from turnstile.durable.files import part_of_path
from turnstile.league.protocol.words import GAME_TYPE, LeagueId

LONGEST_NAME = 40  # characters of a strategy's name in the name of its player


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a league of processes."""

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
        """The file with the options with which the league began."""
        return self.stores / "begun.json"

    def log_of(self, name: str) -> Path:
        """The store file of an agent."""
        return self.stores / f"{name}.db"

    @property
    def report(self) -> Path:
        return self.data / "data" / "reports" / f"{self.league_id}.html"

    @property
    def logs(self) -> Path:
        return self.data / "logs" / self.league_id

    @property
    def names(self) -> list[str]:
        """The players are named after their strategies: by one word, or by more where two strategies share it."""
        different = Counter(_name_of(strategy) for strategy in set(self.strategies))
        return [
            f"{name if different[name := _name_of(strategy)] == 1 else _long_name_of(strategy)}-{number}"
            for number, strategy in enumerate(self.strategies, 1)
        ]


def _long_name_of(strategy: str) -> str:
    """All words of a strategy's name, without its kind."""
    kind, _, rest = strategy.partition(":")
    words = ".".join(re.findall(r"[A-Za-z0-9_-]+", rest if kind in FORMS else strategy))
    return words[-LONGEST_NAME:].lstrip(".-") or "player"


def _name_of(strategy: str) -> str:
    """The last part of a strategy's name, or the name of its program; `player` if that is not a valid file name."""
    kind, _, rest = strategy.partition(":")
    word = Path(rest.split()[0]).name if kind == "command" and rest.split() else strategy.rpartition(":")[2]
    name = part_of_path(word[:LONGEST_NAME])
    return "player" if name is None or name == "referee" else name


class CannotResume(Exception):
    """The league in this folder has begun and cannot continue with this plan; the sentence says why."""


class Begun(msgspec.Struct, frozen=True):
    """The options with which a league began. Its agents have them in their logs and would not change them."""

    strategies: tuple[str, ...]
    game_type: str
    time_scale: float

    @classmethod
    def of(cls, plan: Plan) -> "Begun":
        return cls(tuple(plan.strategies), plan.game_type, plan.time_scale)

    def options(self) -> Mapping[str, str]:
        """The options as the command takes them."""
        return {
            "--players": str(len(self.strategies)),
            "--game": self.game_type,
            "--time-scale": str(self.time_scale),
            "--strategy": " --strategy ".join(dict.fromkeys(self.strategies)),
        }


def refuse_to_resume(plan: Plan) -> None:
    """Raises `CannotResume` if the league has begun and cannot continue with this plan."""
    try:
        begun = msgspec.json.decode(plan.begun.read_bytes(), type=Begun)
    except FileNotFoundError:
        return
    except msgspec.DecodeError as fault:
        raise CannotResume(
            f"{plan.begun}, which has the first options of the league, is damaged: {fault}. Restore it, or delete it "
            "and give the same options as at the beginning, or give another --league or --data."
        ) from None
    _refuse_other_plan(plan, begun)
    if not plan.log_of("manager").exists() or plan.log_of("manager").stat().st_size == 0:
        raise CannotResume(
            f"The league {plan.league_id} in {plan.data} has begun, but its log {plan.log_of('manager')} is gone: "
            "restore it, or begin another league with another --league or --data."
        )


def _refuse_other_plan(plan: Plan, begun: Begun) -> None:
    if begun == (given := Begun.of(plan)):
        return
    now = given.options()
    how = next((f"{name} {text}" for name, text in begun.options().items() if now[name] != text), "another order")
    raise CannotResume(
        f"The league {plan.league_id} in {plan.data} began with {how}: "
        "give the same options again, or another --league or --data."
    )
