"""The SQL of players, tokens, codes and invitations: each function is one operation, inside a transaction."""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

from collections.abc import Sequence

import apsw

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.columns import id_of
from turnstile.store.directory import MOST_CODES, MOST_TOKENS, Invitation, RegisteredPlayer
from turnstile.store.directory_columns import INVITATION, PLAYER, as_bytes, invitation_of, player_id_of, player_of
from turnstile.store.sqlite.seats import AS_BYTES

_AT_ONCE = 100
"""Tokens that one statement checks. The statement always has the same length, so it is prepared once."""

_PLAYER = f"SELECT {as_bytes(PLAYER, AS_BYTES)} FROM players WHERE id ="
_VALID_TOKENS = f"SELECT hash FROM tokens WHERE hash IN ({', '.join('?' * _AT_ONCE)})"

# players


def add_player(db: apsw.Connection, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
    if _is_taken(db, "tokens", token):
        return False
    added = db.execute("INSERT INTO players VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1", (player, name, at))
    if added.get is None:
        return False
    db.execute("INSERT INTO tokens VALUES (?, ?, ?)", (token, player, at))
    return True


def players(db: apsw.Connection, wanted: Sequence[str]) -> dict[PlayerId, RegisteredPlayer]:
    found = (db.execute(f"{_PLAYER} ?", (player,)).fetchone() for player in wanted)
    those = (player_of(columns) for columns in found if columns is not None)
    return {player.id: player for player in those if player is not None}


def player_by_token(db: apsw.Connection, token: bytes) -> RegisteredPlayer | None:
    found = db.execute(f"{_PLAYER} (SELECT player FROM tokens WHERE hash = ?)", (token,)).fetchone()
    return None if found is None else player_of(found)


def valid_tokens(db: apsw.Connection, tokens: Sequence[bytes]) -> set[bytes]:
    valid = set[bytes]()
    for start in range(0, len(tokens), _AT_ONCE):
        asked = tokens[start : start + _AT_ONCE]
        unused = (None,) * (_AT_ONCE - len(asked))
        valid.update(found for (found,) in db.execute(_VALID_TOKENS, (*asked, *unused)))
    return valid


def rename(db: apsw.Connection, player: PlayerId, name: str) -> bool:
    change = "UPDATE players SET name = ? WHERE id = ? AND name IS NOT NULL RETURNING 1"
    return db.execute(change, (name, player)).get is not None


def add_token(db: apsw.Connection, player: PlayerId, token: bytes, at: Instant) -> bool:
    return _add_secret(db, "tokens", player, token, at, MOST_TOKENS)


def replace_tokens(db: apsw.Connection, player: PlayerId, token: bytes, at: Instant) -> bool:
    owner = db.execute(f"SELECT {AS_BYTES.format('player')} FROM tokens WHERE hash = ?", (token,)).get
    if not _is_there(db, player) or (owner is not None and player_id_of(owner) != player):
        return False
    _forget(db, player)
    db.execute("INSERT INTO tokens VALUES (?, ?, ?)", (token, player, at))
    return True


def delete_player(db: apsw.Connection, player: PlayerId) -> bool:
    if not _is_there(db, player):
        return False
    db.execute("UPDATE players SET name = NULL WHERE id = ?", (player,))
    _forget(db, player)
    db.execute("DELETE FROM ratings WHERE player = ?", (player,))
    return True


def is_deleted(db: apsw.Connection, player: PlayerId) -> bool:
    return db.execute("SELECT 1 FROM players WHERE id = ? AND name IS NULL", (player,)).get is not None


# one-time codes


def add_code(db: apsw.Connection, code: bytes, player: PlayerId, expires: Instant) -> bool:
    return _add_secret(db, "codes", player, code, expires, MOST_CODES)


def use_code(db: apsw.Connection, code: bytes, token: bytes, now: Instant) -> RegisteredPlayer | None:
    owner = f"{_PLAYER} (SELECT player FROM codes WHERE hash = ? AND at > ?)"
    found = db.execute(owner, (code, now)).fetchone()
    player = None if found is None else player_of(found)
    if player is None or not add_token(db, player.id, token, now):
        return None
    db.execute("DELETE FROM codes WHERE hash = ?", (code,))
    return player


def sweep_codes(db: apsw.Connection, now: Instant, limit: int) -> int:
    expired = "SELECT hash FROM codes WHERE at <= ? ORDER BY at LIMIT ?"
    return len(db.execute(f"DELETE FROM codes WHERE hash IN ({expired}) RETURNING 1", (now, limit)).fetchall())


# invitations


def add_invitation(db: apsw.Connection, invitation: Invitation) -> bool:
    values = (invitation.table, invitation.admin, invitation.secret, invitation.is_required)
    add = f"INSERT INTO invitations ({INVITATION}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1"
    return db.execute(add, values).get is not None


def invitation(db: apsw.Connection, table: LogId) -> Invitation | None:
    columns = as_bytes(INVITATION, AS_BYTES)
    found = db.execute(f"SELECT {columns} FROM invitations WHERE table_id = ?", (table,)).fetchone()
    return None if found is None else invitation_of(found)


def remove_invitation(db: apsw.Connection, table: LogId) -> bool:
    remove = "DELETE FROM invitations WHERE table_id = ? AND NOT EXISTS (SELECT 1 FROM tables WHERE id = ?) RETURNING 1"
    return db.execute(remove, (table, table)).get is not None


_OPENED = (
    "FROM invitations CROSS JOIN tables ON tables.id = invitations.table_id "
    "WHERE invitations.admin = ? AND invitations.is_open AND tables.is_open"
)


def count_open(db: apsw.Connection, admin: PlayerId) -> int:
    number = db.execute(f"SELECT count(*) {_OPENED}", (admin,)).get
    assert isinstance(number, int)
    return number


def opened_by(db: apsw.Connection, admin: PlayerId) -> list[LogId]:
    found = db.execute(f"SELECT {AS_BYTES.format('tables.id')} {_OPENED}", (admin,))
    return [log for (name,) in found if (log := id_of(name)) is not None]


# helpers


def _is_there(db: apsw.Connection, player: PlayerId) -> bool:
    return db.execute("SELECT 1 FROM players WHERE id = ? AND name IS NOT NULL", (player,)).get is not None


def _is_taken(db: apsw.Connection, secrets: str, value: bytes) -> bool:
    return db.execute(f"SELECT 1 FROM {secrets} WHERE hash = ?", (value,)).get is not None


def _add_secret(db: apsw.Connection, secrets: str, player: PlayerId, value: bytes, at: Instant, most: int) -> bool:
    """Add a token or a code. A player keeps those with the latest times."""
    if not _is_there(db, player) or _is_taken(db, secrets, value):
        return False
    db.execute(f"INSERT INTO {secrets} VALUES (?, ?, ?)", (value, player, at))
    surplus = f"SELECT hash FROM {secrets} WHERE player = ? ORDER BY at DESC, hash DESC LIMIT -1 OFFSET ?"
    db.execute(f"DELETE FROM {secrets} WHERE hash IN ({surplus})", (player, most))
    return True


def _forget(db: apsw.Connection, player: PlayerId) -> None:
    """Make all tokens and codes of a player void."""
    db.execute("DELETE FROM tokens WHERE player = ?", (player,))
    db.execute("DELETE FROM codes WHERE player = ?", (player,))
