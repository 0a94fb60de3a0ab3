"""Repairs of the fields of foreign messages: the helpers, and the repairs of rounds, calls and tables.

What only informs is never required: if it is missing or cannot be read, it gets a neutral value.
"""

import re
from typing import Any

from turnstile.agents.wire.envelope import Fields, read_time
from turnstile.agents.wire.remarks import remark
from turnstile.kernel.values import Malformed, decode, encode
from turnstile.league.protocol.values import AnnouncedMatch, PlayerStandings, StandingsRow

FIRST_ROUND = 1


def inner(fields: Fields, name: str) -> Fields:
    """A copy of an inner object, put in its place so that it can be repaired; an empty one if there is none."""
    held = fields.get(name)
    copy: Fields = dict(held) if isinstance(held, dict) else {}
    fields[name] = copy
    return copy


def fill_in(fields: Fields, **values: Any) -> None:
    """Gives a value to fields that are missing or null."""
    for name, value in values.items():
        if fields.get(name) is None:
            fields[name] = value


def drop_unless(fields: Fields, kind: type[str] | type[int], *names: str) -> None:
    """Removes the fields that are not of this type. A boolean is not a number."""
    for name in names:
        if type(fields.get(name)) is not kind:
            fields.pop(name, None)


def to_number(value: Any) -> Any:
    """A number that is written as a string becomes a number."""
    is_written = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10
    return int(value) if is_written else value


def first_number(*values: Any) -> int | None:
    """The first of these that is a number, or a number written as a string."""
    return next((number for number in map(to_number, values) if type(number) is int), None)


def is_readable(value: Any, as_type: type[Any]) -> bool:
    try:
        decode(encode(value), as_type)
    except Malformed:
        return False
    return True


def round_of(match: Any) -> int:
    """The round of a match that does not name it: usually it is in the id, as in `R2M1`."""
    found = re.fullmatch(r"R([0-9]{1,6})M[0-9]+", match.strip().upper()) if isinstance(match, str) else None
    return int(found[1]) if found else FIRST_ROUND


# matches and rounds


def repair_run_match(fields: Fields) -> None:
    fill_in(fields, round_id=round_of(fields.get("match_id")))


def repair_round(fields: Fields) -> None:
    """Drops the matches that cannot be read. If none can be read, the message is refused.

    `revision` and `reassignments` are extensions of ours: if they are not numbers, another extension uses the name.
    """
    fields["revision"] = to_number(fields.get("revision"))
    drop_unless(fields, int, "revision")
    entries = fields.get("matches")
    if not isinstance(entries, list):
        return
    repaired = [_announced_match(entry) if isinstance(entry, dict) else entry for entry in entries]
    readable = [entry for entry in repaired if is_readable(entry, AnnouncedMatch)]
    if len(readable) < len(repaired):
        unread = f"{len(repaired) - len(readable)} of {len(repaired)}"
        remark(f"Matches of round {fields.get('round_id')!r:.20} cannot be read", unread)
    fields["matches"] = readable or repaired


def _announced_match(entry: Fields) -> Fields:
    """The referee is named by id or by address; only a referee needs the addresses of the players."""
    entry = {name: held for name, held in entry.items() if held is not None}
    drop_unless(entry, str, "referee_id", "referee_endpoint", "player_A_endpoint", "player_B_endpoint")
    drop_unless(entry, int, "reassignments")
    fill_in(entry, referee_endpoint="")
    return entry


# calls to players


def repair_parity_call(fields: Fields) -> None:
    _repair_call(fields, fields)


def repair_move_call(fields: Fields) -> None:
    has_request = isinstance(fields.get("move_request"), dict)
    _repair_call(fields, inner(fields, "move_request") if has_request else {})


def _repair_call(fields: Fields, place: Fields) -> None:
    """Fills in what the player knows itself: its id, its round and its opponent. `place` has the context.

    A deadline that is not a time in UTC does not count. The process of the player computes `milliseconds_left`.
    """
    fill_in(fields, player_id="")
    fields.pop("milliseconds_left", None)
    drop_unless(fields, str, "deadline")
    if read_time(fields.get("deadline", "")) is None:
        fields.pop("deadline", None)
    context = inner(place, "context")
    by_id = round_of(fields.get("match_id"))
    context["round_id"] = first_number(context.get("round_id"), fields.get("round_id"), by_id)
    drop_unless(context, str, "opponent_id", "commitment")
    fill_in(context, opponent_id="")
    if not is_readable(context.get("your_standings"), PlayerStandings):
        context.pop("your_standings", None)


# tables


def repair_rows(fields: Fields, name: str) -> None:
    """Rows of a table need only a player. Rows without one are dropped."""
    rows = fields.get(name)
    if isinstance(rows, list):
        repaired = [_row(row, rank) for rank, row in enumerate(rows, 1) if isinstance(row, dict)]
        fields[name] = [row for row in repaired if is_readable(row, StandingsRow)]


def _row(row: Fields, rank: int) -> Fields:
    """A row without a rank has the rank of its place. Other numbers that are missing are unknown."""
    row = dict(row)
    fill_in(row, display_name=row.get("player_id"))
    for count in ("rank", "played", "wins", "draws", "losses", "points"):
        row[count] = first_number(row.get(count))
    fill_in(row, rank=rank)
    return row


def repair_standings(fields: Fields) -> None:
    fill_in(fields, standings=[])
    repair_rows(fields, "standings")


def repair_round_completed(fields: Fields) -> None:
    fill_in(fields, next_round_id=None, matches_played=fields.get("matches_completed", 0))


def repair_league_completed(fields: Fields) -> None:
    """All details are optional. If no champion is named, it is the first of the table."""
    fill_in(fields, final_standings=[], total_rounds=0, total_matches=0)
    repair_rows(fields, "final_standings")
    rows = fields["final_standings"]
    first = rows[0] if isinstance(rows, list) and rows else {}
    champion = inner(fields, "champion")
    drop_unless(champion, int, "points")
    for name in ("player_id", "display_name"):
        if not isinstance(champion.get(name), str):
            champion[name] = first.get(name, champion.get("player_id", ""))
    fill_in(champion, points=first.get("points") or 0)
