"""Foreign spellings: what others call things, and what is meant. Everything that is tolerated is tolerated here.

`read_message` makes a typed message of the fields of one, whoever wrote it: names that others use are understood, what
may be missing is filled in, and what is only there to be looked at is dropped when it cannot be read. What is left
over is a fault that names the fields.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

import msgspec

from turnstile.agents.wire.envelope import read_sender
from turnstile.agents.wire.repairs import (
    default,
    inner,
    is_readable,
    mend_call,
    mend_league_completed,
    mend_move_call,
    mend_round,
    mend_round_completed,
    mend_rows,
    mend_run_match,
    mend_standings,
    whole,
)
from turnstile.agents.wire.rpc import INVALID_PARAMS, Fault, Fields
from turnstile.kernel.values import Malformed, PlayerId, decode, encode, wire_name
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.values import GameResult
from turnstile.league.protocol.words import ERROR_CODES, GAME_TYPE, Awaited, ErrorName, Registration, Role, Status

M = TypeVar("M", bound=LeagueMessage)

UNKNOWN_SENDER = "unknown"
UNKNOWN_VERSION = "0.0.0"
LONGEST_CHOICE = 64
LONGEST_TEXT = 200
NO_WINNER = ("", "DRAW", "NONE", "TIE", "NULL")
NAME = re.compile(r"[A-Z][A-Z0-9_]+")
JOINED = ("ACCEPTED", "JOINED", "ACK")
DECLINED = ("REJECTED", "DECLINED")
REJECTIONS = (*DECLINED, "ERROR", "FAILED", "DENIED")


def read_message(kind: type[M], fields: Fields) -> M | Fault:
    """A message of this kind, or a fault that names what is missing or of another type."""
    known = _known(kind)
    if isinstance(held := fields.get("data"), dict) and "data" not in known:
        fields = {**held, **fields}
    fields = _mended(wire_name(kind), fields)
    if known.get("sender"):
        fields.setdefault("sender", UNKNOWN_SENDER)
    given = {name: fields[name] for name in known if name in fields}
    missing = [name for name, is_required in known.items() if is_required and name not in given]
    if missing:
        return misfit(missing)
    try:
        return decode(encode({**given, "message_type": wire_name(kind)}), kind)
    except Malformed as fault:
        return misfit([_place(str(fault))])


def misfit(names: Iterable[str]) -> Fault:
    return Fault(INVALID_PARAMS, "Missing or ill-typed fields", {"fields": list(names)})


@cache
def _known(kind: type[LeagueMessage]) -> dict[str, bool]:
    """The fields of a message, and whether they are required."""
    return {field.encode_name: field.required for field in msgspec.structs.fields(kind)}


def _place(reason: str) -> str:
    """The field that a reason of the decoder is about. Its text is not passed on: it may quote what was sent."""
    missing = re.search(r"missing required field `([^`]*)`", reason)
    path = re.search(r"at `\$\.?([^`]*)`", reason)
    return ".".join(found[1] for found in (path, missing) if found and found[1])


# what every message may have


def _mended(message_type: str, fields: Fields) -> Fields:
    fields = dict(fields)
    sender = read_sender(fields.pop("sender", None))
    if sender is not None:
        fields["sender"] = sender
    if "round_id" in fields:
        fields["round_id"] = whole(fields["round_id"])
    mend = MENDERS.get(message_type)
    if mend is not None:
        mend(fields)
    return fields


def speaker(fields: Fields) -> PlayerId | None:
    """The player that says something: its `player_id`, else the id in `sender`."""
    named = fields.get("player_id")
    if isinstance(named, str) and named:
        return PlayerId(named)
    kind, _, name = (read_sender(fields.get("sender")) or "").partition(":")
    return PlayerId(name) if kind == "player" and name else None


def named_player(fields: Fields) -> str | None:
    """The player that answers, by the id that the league gave it or by one of its own making."""
    return speaker(fields) or read_sender(fields.get("sender"))


# joins and choices, in replies as in posts


def read_join(fields: Fields) -> bool | None:
    """Whether a player joins; `None` where it does not say. `ok` says nothing: some answer it to everything."""
    for name in ("accept", "accepted"):
        if isinstance(fields.get(name), bool):
            return bool(fields[name])
    status = str(fields.get("status")).strip().upper()
    return True if status in JOINED else False if status in DECLINED else None


def read_choice(fields: Fields) -> str | None:
    """What a player chooses, trimmed and in lower case, be it a choice or not; `None` where it says nothing."""
    move = fields.get("move_data")
    for found in (
        fields.get("parity_choice"),
        fields.get("choice"),
        move.get("choice") if isinstance(move, dict) else None,
    ):
        if found is not None:
            return str(found).strip().lower()[:LONGEST_CHOICE]
    return None


def _mend_join(fields: Fields) -> None:
    accepts = read_join(fields)
    if accepts is not None:
        fields["accept"] = accepts
    default(fields, player_id=named_player(fields))


def _mend_choice(fields: Fields) -> None:
    choice = read_choice(fields)
    if choice is not None:
        fields["parity_choice"] = choice
    default(fields, player_id=named_player(fields))


def _mend_move(fields: Fields) -> None:
    """A move in a game other than Even/Odd. What cannot be read as one is none, and is refused by the referee."""
    if "move_data" not in fields and "choice" in fields:
        fields["move_data"] = {"choice": fields["choice"]}
    move = fields.get("move_data")
    if not (isinstance(move, dict) and "choice" in move and isinstance(move.get("move_type"), str | None)):
        fields["move_data"] = None
    default(fields, player_id=named_player(fields))


def _mend_invitation(fields: Fields) -> None:
    if isinstance(fields.get("role_in_match"), str):
        role = fields["role_in_match"].strip().upper()
        fields["role_in_match"] = {"A": Role.PLAYER_A, "B": Role.PLAYER_B}.get(role, role)


# results


def _mend_game_over(fields: Fields) -> None:
    """A result that cannot be read is none: the match is over all the same."""
    told = fields.get("game_result")
    if not isinstance(told, dict):
        fields["game_result"] = None
        return
    result = inner(fields, "game_result")
    default(result, reason=str(fields.get("reason") or ""), winner_player_id=None, drawn_number=None)
    result["winner_player_id"] = _winner(result["winner_player_id"])
    result["number_parity"] = _parity(result.get("number_parity"))
    result["choices"] = _choices(result.get("choices"))
    default(result, status=_status(result["winner_player_id"], result["drawn_number"], result.get("score")))
    if result["number_parity"] is None:
        result["drawn_number"] = None  # a 0 that stands for nothing
    if not is_readable(result, GameResult):
        fields["game_result"] = None


def _mend_report(fields: Fields) -> None:
    """Who has won must be said, be it nobody; how, can be told from it."""
    told = fields.pop("result", None)
    if not isinstance(told, dict) or "winner" not in told:
        return
    fields["result"] = told
    result = inner(fields, "result")
    details = inner(result, "details")
    result["winner"] = _winner(result["winner"])
    default(result, score={})
    default(details, drawn_number=None)
    details["choices"] = _choices(details.get("choices"))
    if type(details.get("reassignments")) is not int:
        details.pop("reassignments", None)
    default(details, status=_status(result["winner"], details["drawn_number"], result["score"]))


def _winner(winner: Any) -> Any:
    """Nobody has won a draw, however that is written."""
    return None if isinstance(winner, str) and winner.strip().upper() in NO_WINNER else winner


def _status(winner: Any, number: Any, score: Any) -> Status:
    """How a match ended that does not say so. Where nothing was drawn, and somebody has no point, it did not play."""
    if number not in (None, 0):
        return Status.DRAW if winner is None else Status.WIN
    is_shared = winner is None and isinstance(score, dict) and any(score.values())
    return Status.DRAW if is_shared else Status.TECHNICAL_LOSS


def _parity(parity: Any) -> Any:
    """`N/A` and `NO_RESPONSE` stand for nothing."""
    found = parity.strip().lower() if isinstance(parity, str) else parity
    return found if found in ("even", "odd") else None


def _choices(choices: Any) -> Fields:
    return {player: _parity(choice) for player, choice in choices.items()} if isinstance(choices, dict) else {}


# registration and the league


def _mend_meta(name: str) -> Callable[[Fields], None]:
    """Who registers need only say its name and where it is; some say it without `*_meta`, some call it `endpoint`."""

    def mend(fields: Fields) -> None:
        told = fields.get(name)
        meta = dict(told) if isinstance(told, dict) else dict(fields)
        if isinstance(meta.get("endpoint"), str):
            default(meta, contact_endpoint=meta["endpoint"])
        if not isinstance(meta.get("version"), str):
            meta["version"] = UNKNOWN_VERSION
        if not isinstance(meta.get("protocol_version"), str):
            meta.pop("protocol_version", None)
        if not isinstance(meta.get("registration_secret"), str):
            meta.pop("registration_secret", None)
        if isinstance(meta.get("game_types"), str):
            meta["game_types"] = [meta["game_types"]]
        default(meta, game_types=[GAME_TYPE])
        fields[name] = meta

    return mend


def _mend_error(fields: Fields) -> None:
    """A GAME_ERROR in either of its forms: the name in one field or the other, the retries flat or nested."""
    fields["error_name"] = _error_name(fields)
    fields["error_code"] = str(fields.get("error_code") or "")[:LONGEST_TEXT]
    retries = inner(fields, "retry_info")
    for counter in ("retry_count", "max_retries"):
        told = (whole(place.get(counter)) for place in (fields, retries))
        fields[counter] = retries[counter] = next((count for count in told if type(count) is int), 0)
    if fields.get("action_required") not in tuple(Awaited):
        fields["action_required"] = Awaited.CHOOSE_PARITY_RESPONSE
    for name, value in {"error_description": fields["error_name"], "consequence": "", "affected_player": ""}.items():
        fields[name] = str(fields.get(name) or value)
    fields["retryable"] = fields.get("retryable") is True


def _error_name(fields: Fields) -> str:
    """What an error is called. The same number means different things to others: it counts only without a name.

    A name that nobody here knows stays what it is, and is no other error. A description may be prose, and then is none.
    """
    name, description, code = (
        str(fields.get(field) or "").strip()[:LONGEST_TEXT]
        for field in ("error_name", "error_description", "error_code")
    )
    for told in (name.upper(), description.upper()):
        if told in set(ErrorName):
            return told
    if name or NAME.fullmatch(description):
        return name or description
    by_code = {number: named.value for named, number in reversed(ERROR_CODES.items())}
    return by_code.get(code.upper(), code)


def _mend_query(fields: Fields) -> None:
    if isinstance(fields.get("query_type"), str):
        fields["query_type"] = fields["query_type"].strip().upper()


# replies


def _mend_registered(name: str) -> Callable[[Fields], None]:
    """Who has been given an id is registered, whatever word is used for it."""

    def mend(fields: Fields) -> None:
        status = str(fields.get("status")).strip().upper()
        has_id = isinstance(fields.get(name), str) and bool(fields[name])
        if status in REJECTIONS:
            fields["status"] = Registration.REJECTED
        elif has_id:
            fields["status"] = Registration.ACCEPTED
        else:
            fields.pop("status", None)
        if not isinstance(fields.get("manager_proof"), str):
            fields.pop("manager_proof", None)

    return mend


def _mend_booked(fields: Fields) -> None:
    """A report that is answered, and not with a rejection, is booked, whatever word is used for it."""
    if str(fields.get("status")).strip().upper() not in REJECTIONS:
        fields["status"] = Registration.ACCEPTED
    if type(fields.get("round_id")) is not int:
        fields.pop("round_id", None)


def _mend_ack(fields: Fields) -> None:
    """Of an acknowledgement only what it is about is needed: that it comes at all says enough."""
    for name in ("status", "player_id", "referee_id"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            fields.pop(name, None)
    player = speaker(fields)
    if player is not None:
        fields["player_id"] = player


def _mend_league_error(fields: Fields) -> None:
    """An error of the league is there to be noted, and need not say much."""
    named = fields.get("error_name") or fields.get("error_description") or ""
    for name, value in {"error_code": "", "error_name": named, "error_description": named}.items():
        fields[name] = str(fields.get(name) or value)[:LONGEST_TEXT]
    fields["context"] = {}
    fields["retryable"] = fields.get("retryable") is True
    if not isinstance(fields.get("original_message_type"), str):
        fields["original_message_type"] = None


def _mend_query_response(fields: Fields) -> None:
    """Standings may stand at the top or in `data`."""
    if isinstance(fields.get("data"), dict):
        data = inner(fields, "data")
        mend_rows("standings")(data)
        for name in data.keys() & {"standings", "current_round"}:
            default(fields, **{name: data[name]})
    if isinstance(fields.get("standings"), list):
        default(fields, success=True)
    mend_rows("standings")(fields)


MENDERS: dict[str, Callable[[Fields], None]] = {
    "LEAGUE_REGISTER_REQUEST": _mend_meta("player_meta"),
    "REFEREE_REGISTER_REQUEST": _mend_meta("referee_meta"),
    "RUN_MATCH": mend_run_match,
    "ROUND_ANNOUNCEMENT": mend_round,
    "GAME_INVITATION": _mend_invitation,
    "CHOOSE_PARITY_CALL": mend_call,
    "GAME_MOVE_CALL": mend_move_call,
    "GAME_JOIN_ACK": _mend_join,
    "CHOOSE_PARITY_RESPONSE": _mend_choice,
    "GAME_MOVE_RESPONSE": _mend_move,
    "GAME_OVER": _mend_game_over,
    "GAME_ERROR": _mend_error,
    "MATCH_RESULT_REPORT": _mend_report,
    "LEAGUE_STANDINGS_UPDATE": mend_standings,
    "ROUND_COMPLETED": mend_round_completed,
    "LEAGUE_COMPLETED": mend_league_completed,
    "LEAGUE_QUERY": _mend_query,
    "LEAGUE_REGISTER_RESPONSE": _mend_registered("player_id"),
    "REFEREE_REGISTER_RESPONSE": _mend_registered("referee_id"),
    "MATCH_RESULT_ACK": _mend_booked,
    "LEAGUE_QUERY_RESPONSE": _mend_query_response,
    "GAME_OVER_ACK": _mend_ack,
    "GAME_ERROR_ACK": _mend_ack,
    "ROUND_ANNOUNCEMENT_ACK": _mend_ack,
    "STANDINGS_UPDATE_ACK": _mend_ack,
    "ROUND_COMPLETED_ACK": _mend_ack,
    "LEAGUE_COMPLETED_ACK": _mend_ack,
    "LEAGUE_ERROR": _mend_league_error,
}
"""What is done to the fields of a message, before they are held against its type."""
