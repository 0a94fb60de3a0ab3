"""Small tools for mending the fields of foreign messages, and how rounds, tables and questions are mended.

Of what is only there to inform nothing is insisted on: what is missing or cannot be read is given a value that says
nothing.
"""

import re
from collections.abc import Callable
from typing import Any

from turnstile.agents.wire.envelope import read_time
from turnstile.agents.wire.remarks import remark
from turnstile.agents.wire.rpc import Fields
from turnstile.kernel.values import Malformed, decode, encode
from turnstile.league.protocol.values import AnnouncedMatch, PlayerStandings, StandingsRow

FIRST_ROUND = 1


def inner(fields: Fields, name: str) -> Fields:
    """A part of a message that can be mended on its own; an empty one where there is none."""
    held = fields.get(name)
    fields[name] = dict(held) if isinstance(held, dict) else {}
    return fields[name]  # type: ignore[no-any-return]


def default(fields: Fields, **values: Any) -> None:
    """Fill in what is missing or null."""
    for name, value in values.items():
        if fields.get(name) is None:
            fields[name] = value


def whole(number: Any) -> Any:
    """A number that came as a text is a number."""
    is_written = isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 10
    return int(number) if is_written else number


def is_readable(value: Any, as_type: type[Any]) -> bool:
    try:
        decode(encode(value), as_type)
    except Malformed:
        return False
    return True


def round_of(match: Any) -> int:
    """The round of a match that does not say it: customarily it stands in the id, as in `R2M1`."""
    found = re.fullmatch(r"R([0-9]{1,6})M[0-9]+", match.strip().upper()) if isinstance(match, str) else None
    return int(found[1]) if found else FIRST_ROUND


# matches and rounds


def mend_run_match(fields: Fields) -> None:
    default(fields, round_id=round_of(fields.get("match_id")))


def mend_round(fields: Fields) -> None:
    """An entry that cannot be read costs no other its match. If none can, that is a fault, and stays one.

    `revision` is a word of ours: where it is no number, it is somebody else's.
    """
    fields["revision"] = whole(fields.get("revision"))
    if type(fields["revision"]) is not int:
        del fields["revision"]
    entries = fields.get("matches")
    if not isinstance(entries, list):
        return
    mended = [_entry(entry) if isinstance(entry, dict) else entry for entry in entries]
    read = [entry for entry in mended if is_readable(entry, AnnouncedMatch)]
    if len(read) < len(mended):
        unread = f"{len(mended) - len(read)} of {len(mended)}"
        remark(f"Matches of round {fields.get('round_id')!r:.20} cannot be read", unread)
    fields["matches"] = read or mended


def _entry(entry: Fields) -> Fields:
    """Who referees is known by id or by address; where the players live, only a referee needs to know."""
    entry = {name: held for name, held in entry.items() if held is not None}
    for name in ("referee_id", "referee_endpoint", "player_A_endpoint", "player_B_endpoint"):
        if not isinstance(entry.get(name), str):
            entry.pop(name, None)
    if type(entry.get("reassignments")) is not int:  # it is a word of ours, as `revision` is
        entry.pop("reassignments", None)
    default(entry, referee_endpoint="")
    return entry


# what a player is asked


def mend_call(fields: Fields) -> None:
    """Whom a call is for is known to the player that gets it, and against whom it plays, too."""
    default(fields, player_id="")
    _mend_deadline(fields)
    _mend_context(fields, fields)


def mend_move_call(fields: Fields) -> None:
    default(fields, player_id="")
    _mend_deadline(fields)
    if isinstance(fields.get("move_request"), dict):
        _mend_context(fields, inner(fields, "move_request"))


def _mend_deadline(fields: Fields) -> None:
    """A deadline that is no time in UTC is none. How much is left of it, the player's host says."""
    fields.pop("milliseconds_left", None)
    deadline = fields.get("deadline")
    if not isinstance(deadline, str) or read_time(deadline) is None:
        fields.pop("deadline", None)


def _mend_context(fields: Fields, place: Fields) -> None:
    context = inner(place, "context")
    told = (context.get("round_id"), fields.get("round_id"), round_of(fields.get("match_id")))
    context["round_id"] = next(number for number in map(whole, told) if type(number) is int)
    if not isinstance(context.get("opponent_id"), str):
        context["opponent_id"] = ""
    if not is_readable(context.get("your_standings"), PlayerStandings):
        context.pop("your_standings", None)
    if not isinstance(context.get("commitment"), str):
        context.pop("commitment", None)


# tables


def mend_rows(name: str) -> Callable[[Fields], None]:
    """Rows of a table need have no more than a player; those that have not even that are left out."""

    def mend(fields: Fields) -> None:
        rows = fields.get(name)
        if isinstance(rows, list):
            mended = [_row(row, rank) for rank, row in enumerate(rows, 1) if isinstance(row, dict)]
            fields[name] = [row for row in mended if is_readable(row, StandingsRow)]

    return mend


def _row(row: Fields, rank: int) -> Fields:
    """A row without a rank has the one of its place. What else is not told, or is no number, is not known."""
    row = dict(row)
    default(row, display_name=row.get("player_id"))
    for count, value in {
        "rank": rank,
        "played": None,
        "wins": None,
        "draws": None,
        "losses": None,
        "points": None,
    }.items():
        told = whole(row.get(count))
        row[count] = told if type(told) is int else value
    return row


def mend_standings(fields: Fields) -> None:
    default(fields, standings=[])
    mend_rows("standings")(fields)


def mend_round_completed(fields: Fields) -> None:
    default(fields, next_round_id=None, matches_played=fields.get("matches_completed", 0))


def mend_league_completed(fields: Fields) -> None:
    """That the league is over is all that need be said. Its champion is the first of its table, if nobody is named."""
    default(fields, final_standings=[], total_rounds=0, total_matches=0)
    mend_rows("final_standings")(fields)
    champion = inner(fields, "champion")
    rows = fields["final_standings"]
    first = rows[0] if isinstance(rows, list) and rows else {}
    for name in ("player_id", "display_name"):
        if not isinstance(champion.get(name), str):
            champion[name] = first.get(name, champion.get("player_id", ""))
    if type(champion.get("points")) is not int:
        champion["points"] = first.get("points") or 0
