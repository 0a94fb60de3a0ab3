"""The logs of the league: which machines are kept, and under which ids."""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from turnstile.durable.timed_log import TimedLogs
from turnstile.kernel.values import LONGEST_ID, LogId, encode
from turnstile.league.manager import state as league_state
from turnstile.league.manager.machine import manager
from turnstile.league.player.machine import player
from turnstile.league.referee import registrar as registering
from turnstile.league.referee import state as match_state
from turnstile.league.referee.machine import referee


def _is_league_open(state: league_state.State) -> bool:
    return state.phase is not league_state.Phase.LEAGUE_COMPLETE or bool(state.untold)


LEAGUES = TimedLogs(manager, _is_league_open)
REGISTRARS = TimedLogs(registering.registrar, lambda state: state.phase is not registering.Phase.LEAGUE_COMPLETE)
MATCHES = TimedLogs(referee, lambda state: state.phase is not match_state.Phase.IDLE)
PLAYERS = TimedLogs(player, lambda state: not state.has_shut_down)

KINDS: Iterable[TimedLogs[Any]] = (LEAGUES, REGISTRARS, MATCHES, PLAYERS)
"""Every kind of log that an agent of the league writes."""


SHORT = 20  # characters of a name that is written out in the ids of logs


def own_prefix(kind: str, agent: str) -> str:
    """How the ids of an agent's logs begin. Agents of many names may share a store."""
    return f"{kind}/{agent if len(agent) <= SHORT and _is_plain(agent) else _digest(agent)[:SHORT]}"


def log_id(prefix: str, *names: str) -> LogId:
    """The id of a log. Names that others chose, and that are too long or odd, are hashed."""
    plain = "/".join((prefix, *names))
    if len(plain) <= LONGEST_ID and all(map(_is_plain, names)):
        return LogId(plain)
    room = LONGEST_ID - len(prefix) - 1
    return LogId(f"{prefix}/{_digest(names)[:room]}")


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9_.-]+", name) is not None


def _digest(names: object) -> str:
    return sha256(encode(names)).hexdigest()
