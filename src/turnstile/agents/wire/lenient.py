"""Foreign spellings: `read_message` accepts the names that other agents use, and fills in what they leave out.

Everything that is tolerated in a message is tolerated here and in `repairs`. A field that only informs is dropped if it
cannot be read. If a field is still missing or invalid, the message is refused with a fault that names it.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, TypeVar

import msgspec

from turnstile.agents.wire.envelope import Fields, read_sender
from turnstile.agents.wire.repairs import (
    drop_unless,
    fill_in,
    first_number,
    inner,
    is_readable,
    repair_league_completed,
    repair_move_call,
    repair_parity_call,
    repair_round,
    repair_round_completed,
    repair_rows,
    repair_run_match,
    repair_standings,
    to_number,
)
from turnstile.agents.wire.rpc import INVALID_PARAMS, Fault
from turnstile.kernel.values import Malformed, decode, encode, wire_name
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.values import GameResult
from turnstile.league.protocol.words import ERROR_CODES, GAME_TYPE, Awaited, ErrorName, Registration, Role, Status

M = TypeVar("M", bound=LeagueMessage)

UNKNOWN_SENDER = "unknown"
UNKNOWN_VERSION = "0.0.0"
LONGEST_CHOICE = 64
LONGEST_TEXT = 200
NO_WINNER = ("", "DRAW", "NONE", "TIE", "NULL")
ERROR_NAME = re.compile(r"[A-Z][A-Z0-9_]+")
JOINED = ("ACCEPTED", "JOINED", "ACK")
DECLINED = ("REJECTED", "DECLINED")
REJECTIONS = (*DECLINED, "ERROR", "FAILED", "DENIED")


def read_message(kind: type[M], fields: Fields) -> M | Fault:
    """A message of this kind, or a fault that names the fields that are missing or invalid."""
    known = _known_fields(kind)
    if isinstance(held := fields.get("data"), dict) and "data" not in known:
        fields = {**held, **fields}
    fields = _repair(wire_name(kind), fields)
    if known.get("sender"):
        fields.setdefault("sender", UNKNOWN_SENDER)
    given = {name: fields[name] for name in known if name in fields}
    missing = [name for name, is_required in known.items() if is_required and name not in given]
    if missing:
        return invalid_fields(missing)
    try:
        return decode(encode({**given, "message_type": wire_name(kind)}), kind)
    except Malformed as fault:
        return invalid_fields([_field_in(str(fault))])


def invalid_fields(names: Iterable[str]) -> Fault:
    return Fault(INVALID_PARAMS, "Missing or invalid fields", {"fields": list(names)})


@cache
def _known_fields(kind: type[LeagueMessage]) -> dict[str, bool]:
    """The fields of a message, and whether they are required."""
    return {field.encode_name: field.required for field in msgspec.structs.fields(kind)}


def _field_in(reason: str) -> str:
    """The field that the decoder complains about. Its text is not passed on: it may quote what was sent."""
    missing = re.search(r"missing required field `([^`]*)`", reason)
    path = re.search(r"at `\$\.?([^`]*)`", reason)
    return ".".join(found[1] for found in (path, missing) if found and found[1])


def _repair(message_type: str, fields: Fields) -> Fields:
    fields = dict(fields)
    sender = read_sender(fields.pop("sender", None))
    if sender is not None:
        fields["sender"] = sender
    if "round_id" in fields:
        fields["round_id"] = to_number(fields["round_id"])
    repair = REPAIRS.get(message_type)
    if repair is not None:
        repair(fields)
    return fields


def _upper(fields: Fields, name: str) -> str:
    return str(fields.get(name)).strip().upper()


def _player_of(fields: Fields) -> str | None:
    """The id of the player that answers: its `player_id`, else the id in `sender`."""
    named = fields.get("player_id")
    if isinstance(named, str) and named:
        return named
    role, _, name = (read_sender(fields.get("sender")) or "").partition(":")
    return name if role == "player" and name else None


# answers of players


def _repair_answer(fields: Fields) -> None:
    """A player that is not registered here answers under an id of its own."""
    fill_in(fields, player_id=_player_of(fields) or fields.get("sender"))


def _repair_join(fields: Fields) -> None:
    """A status may say whether the player joins. `ok` does not: some agents answer it to everything."""
    answers = [fields[name] for name in ("accept", "accepted") if isinstance(fields.get(name), bool)]
    status = _upper(fields, "status")
    if answers or status in (*JOINED, *DECLINED):
        fields["accept"] = answers[0] if answers else status in JOINED
    _repair_answer(fields)


def _repair_choice(fields: Fields) -> None:
    """The choice is trimmed and in lower case, whether or not it is legal."""
    move = fields.get("move_data")
    places = (fields.get("parity_choice"), fields.get("choice"), move.get("choice") if isinstance(move, dict) else None)
    choice = next((found for found in places if found is not None), None)
    if choice is not None:
        fields["parity_choice"] = str(choice).strip().lower()[:LONGEST_CHOICE]
    _repair_answer(fields)


def _repair_move(fields: Fields) -> None:
    """A move in a game other than Even/Odd. If it cannot be read, it is null, which the referee refuses."""
    if "move_data" not in fields and "choice" in fields:
        fields["move_data"] = {"choice": fields["choice"]}
    move = fields.get("move_data")
    if not (isinstance(move, dict) and "choice" in move and isinstance(move.get("move_type"), str | None)):
        fields["move_data"] = None
    _repair_answer(fields)


def _repair_invitation(fields: Fields) -> None:
    if isinstance(fields.get("role_in_match"), str):
        role = _upper(fields, "role_in_match")
        fields["role_in_match"] = {"A": Role.PLAYER_A, "B": Role.PLAYER_B}.get(role, role)


# results


def _repair_game_over(fields: Fields) -> None:
    """A result that cannot be read is null: the match is over in any case."""
    if not isinstance(fields.get("game_result"), dict):
        fields["game_result"] = None
        return
    result = inner(fields, "game_result")
    fill_in(result, reason=str(fields.get("reason") or ""), winner_player_id=None, drawn_number=None)
    result["winner_player_id"] = _winner(result["winner_player_id"])
    result["number_parity"] = _parity(result.get("number_parity"))
    result["choices"] = _choices(result.get("choices"))
    fill_in(result, status=_match_status(result["winner_player_id"], result["drawn_number"], result.get("score")))
    if result["number_parity"] is None:
        result["drawn_number"] = None  # some agents write 0 if no number was drawn
    if not is_readable(result, GameResult):
        fields["game_result"] = None


def _repair_report(fields: Fields) -> None:
    """The winner must be given, even if it is null. The status follows from it."""
    told = fields.get("result")
    if not isinstance(told, dict) or "winner" not in told:
        fields.pop("result", None)
        return
    result = inner(fields, "result")
    details = inner(result, "details")
    result["winner"] = _winner(result["winner"])
    fill_in(result, score={})
    fill_in(details, drawn_number=None)
    details["choices"] = _choices(details.get("choices"))
    drop_unless(details, int, "reassignments")
    fill_in(details, status=_match_status(result["winner"], details["drawn_number"], result["score"]))


def _winner(winner: Any) -> Any:
    """The winner; `None` for a draw, however that is written."""
    return None if isinstance(winner, str) and winner.strip().upper() in NO_WINNER else winner


def _match_status(winner: Any, number: Any, score: Any) -> Status:
    """The status of a match that has none. Without a number and without shared points a player did not play."""
    if number not in (None, 0):
        return Status.DRAW if winner is None else Status.WIN
    is_shared = winner is None and isinstance(score, dict) and any(score.values())
    return Status.DRAW if is_shared else Status.TECHNICAL_LOSS


def _parity(parity: Any) -> Any:
    """`even` or `odd`; `None` for anything else, such as `N/A` or `NO_RESPONSE`."""
    found = parity.strip().lower() if isinstance(parity, str) else parity
    return found if found in ("even", "odd") else None


def _choices(choices: Any) -> Fields:
    return {player: _parity(choice) for player, choice in choices.items()} if isinstance(choices, dict) else {}


# registration


def _repair_registration(fields: Fields, meta_name: str) -> None:
    """Only the name and the endpoint are required. Some agents leave out the `*_meta` object around them."""
    meta = inner(fields, meta_name) if isinstance(fields.get(meta_name), dict) else dict(fields)
    if isinstance(meta.get("endpoint"), str):
        fill_in(meta, contact_endpoint=meta["endpoint"])
    drop_unless(meta, str, "version", "protocol_version", "registration_secret")
    if isinstance(meta.get("game_types"), str):
        meta["game_types"] = [meta["game_types"]]
    fill_in(meta, version=UNKNOWN_VERSION, game_types=[GAME_TYPE])
    fields[meta_name] = meta


def _repair_registered(fields: Fields, id_name: str) -> None:
    """An agent that gets an id is registered, whatever the status is called."""
    if _upper(fields, "status") in REJECTIONS:
        fields["status"] = Registration.REJECTED
    elif isinstance(fields.get(id_name), str) and fields[id_name]:
        fields["status"] = Registration.ACCEPTED
    else:
        fields.pop("status", None)
    drop_unless(fields, str, "manager_proof")


# errors


def _repair_game_error(fields: Fields) -> None:
    """A GAME_ERROR in either of its forms: the name in one field or the other, the retries flat or nested."""
    fields["error_name"] = _error_name(fields)
    fields["error_code"] = str(fields.get("error_code") or "")[:LONGEST_TEXT]
    retries = inner(fields, "retry_info")
    for counter in ("retry_count", "max_retries"):
        fields[counter] = retries[counter] = first_number(fields.get(counter), retries.get(counter)) or 0
    if fields.get("action_required") not in tuple(Awaited):
        fields["action_required"] = Awaited.CHOOSE_PARITY_RESPONSE
    for name, value in {"error_description": fields["error_name"], "consequence": "", "affected_player": ""}.items():
        fields[name] = str(fields.get(name) or value)
    fields["retryable"] = fields.get("retryable") is True


def _error_name(fields: Fields) -> str:
    """The name of an error. The code counts only if there is no name: other agents use the numbers differently.

    An unknown name is kept. A description counts as a name only if it looks like one.
    """
    name, description, code = (
        str(fields.get(field) or "").strip()[:LONGEST_TEXT]
        for field in ("error_name", "error_description", "error_code")
    )
    for told in (name.upper(), description.upper()):
        if told in set(ErrorName):
            return told
    if name or ERROR_NAME.fullmatch(description):
        return name or description
    by_code = {number: named.value for named, number in reversed(ERROR_CODES.items())}
    return by_code.get(code.upper(), code)


def _repair_league_error(fields: Fields) -> None:
    """A LEAGUE_ERROR is only logged, so nothing in it is required."""
    named = fields.get("error_name") or fields.get("error_description") or ""
    for name, value in {"error_code": "", "error_name": named, "error_description": named}.items():
        fields[name] = str(fields.get(name) or value)[:LONGEST_TEXT]
    fields["context"] = {}
    fields["retryable"] = fields.get("retryable") is True
    drop_unless(fields, str, "original_message_type")
    fill_in(fields, original_message_type=None)


# acknowledgements and queries


def _repair_result_ack(fields: Fields) -> None:
    """Any answer to a report that is not a rejection accepts it, whatever the status is called."""
    if _upper(fields, "status") not in REJECTIONS:
        fields["status"] = Registration.ACCEPTED
    drop_unless(fields, int, "round_id")


def _repair_ack(fields: Fields) -> None:
    """Only the subject of an acknowledgement is required."""
    for name in ("status", "player_id", "referee_id"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            fields.pop(name, None)
    player = _player_of(fields)
    if player is not None:
        fields["player_id"] = player


def _repair_query(fields: Fields) -> None:
    if isinstance(fields.get("query_type"), str):
        fields["query_type"] = _upper(fields, "query_type")


def _repair_query_response(fields: Fields) -> None:
    """The standings may be at the top or in `data`."""
    if isinstance(fields.get("data"), dict):
        data = inner(fields, "data")
        repair_rows(data, "standings")
        for name in data.keys() & {"standings", "current_round"}:
            fill_in(fields, **{name: data[name]})
    if isinstance(fields.get("standings"), list):
        fill_in(fields, success=True)
    repair_rows(fields, "standings")


REPAIRS: dict[str, Callable[[Fields], None]] = {
    "LEAGUE_REGISTER_REQUEST": partial(_repair_registration, meta_name="player_meta"),
    "REFEREE_REGISTER_REQUEST": partial(_repair_registration, meta_name="referee_meta"),
    "LEAGUE_REGISTER_RESPONSE": partial(_repair_registered, id_name="player_id"),
    "REFEREE_REGISTER_RESPONSE": partial(_repair_registered, id_name="referee_id"),
    "RUN_MATCH": repair_run_match,
    "ROUND_ANNOUNCEMENT": repair_round,
    "GAME_INVITATION": _repair_invitation,
    "CHOOSE_PARITY_CALL": repair_parity_call,
    "GAME_MOVE_CALL": repair_move_call,
    "GAME_JOIN_ACK": _repair_join,
    "CHOOSE_PARITY_RESPONSE": _repair_choice,
    "GAME_MOVE_RESPONSE": _repair_move,
    "GAME_OVER": _repair_game_over,
    "GAME_ERROR": _repair_game_error,
    "MATCH_RESULT_REPORT": _repair_report,
    "MATCH_RESULT_ACK": _repair_result_ack,
    "LEAGUE_STANDINGS_UPDATE": repair_standings,
    "ROUND_COMPLETED": repair_round_completed,
    "LEAGUE_COMPLETED": repair_league_completed,
    "LEAGUE_QUERY": _repair_query,
    "LEAGUE_QUERY_RESPONSE": _repair_query_response,
    "LEAGUE_ERROR": _repair_league_error,
    **dict.fromkeys(("GAME_OVER_ACK", "GAME_ERROR_ACK", "ROUND_ANNOUNCEMENT_ACK"), _repair_ack),
    **dict.fromkeys(("STANDINGS_UPDATE_ACK", "ROUND_COMPLETED_ACK", "LEAGUE_COMPLETED_ACK"), _repair_ack),
}
"""The repair of each message, before its fields are decoded."""
