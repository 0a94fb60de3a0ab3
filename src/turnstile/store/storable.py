"""What a directory can store. The checks are the same for every directory, so that none stores what another cannot."""

from collections.abc import Iterable, Sequence
from math import isfinite

from turnstile.kernel.values import LONGEST_ID, Instant, is_log_id
from turnstile.store.directory import MOST_ON_A_PAGE, Invitation, MatchResult, Rating
from turnstile.store.protocol import Unstorable

LONGEST_NAME = 100
HASH_BYTES = 32
MOST_PLAYERS = 100
"""Players of one match."""

_FURTHEST = 2**63


def is_player_id(text: str) -> bool:
    """Whether a text is a valid player id: short, and with printable characters only, like a log id."""
    return is_log_id(text)


def is_hash(value: bytes) -> bool:
    return len(value) == HASH_BYTES


def seated_players(players: Iterable[str]) -> tuple[str, ...]:
    """The players of a log for the index of seats, each once. A name that no registered player can have is left out."""
    return tuple(sorted({player for player in players if is_player_id(player)}))


def valid_ids(players: Sequence[str]) -> list[str]:
    """The valid ids among these, each once, in order. Raises `Unstorable` for too many."""
    _require(len(players) <= MOST_ON_A_PAGE, f"request: more than {MOST_ON_A_PAGE} players")
    return sorted({player for player in players if is_player_id(player)})


# what may be written


def check_player(player: str) -> None:
    _require(is_player_id(player), f"player id: it must have 1 to {LONGEST_ID} characters, all of them visible")


def check_name(name: str) -> None:
    is_text = 1 <= len(name) <= LONGEST_NAME and "\0" not in name and not any("\ud800" <= c <= "\udfff" for c in name)
    _require(is_text, f"name: it must be a text of 1 to {LONGEST_NAME} characters")


def check_hash(value: bytes) -> None:
    _require(is_hash(value), f"hash: it must have {HASH_BYTES} bytes")


def check_time(at: Instant) -> None:
    _require(_is_number(at) and at >= 0, "time")


def check_invitation(invitation: Invitation) -> None:
    _check_word("table id", invitation.table)
    check_player(invitation.admin)
    check_hash(invitation.secret)


def check_match(match: MatchResult, ratings: Sequence[Rating]) -> None:
    _check_word("table id", match.table)
    _check_word("game", match.game)
    _check_word("reason", match.how)
    check_time(match.finished)
    players = [player.player for player in match.players]
    _require(len(players) <= MOST_PLAYERS, f"match: it has more than {MOST_PLAYERS} players")
    _require(len(set(players)) == len(players), "match: a player is in it twice")
    for player in match.players:
        check_player(player.player)
        _check_word("kind of player", player.kind)
        if player.bot is not None:
            _check_word("bot", player.bot)
        for number in (player.place, player.score):
            _require(number is None or _is_number(number), "number")
    _check_ratings(ratings)


def _check_ratings(ratings: Sequence[Rating]) -> None:
    keys = {(rating.player, rating.game, rating.pool) for rating in ratings}
    _require(len(keys) == len(ratings) <= MOST_PLAYERS, "ratings: one is given twice, or there are too many")
    for rating in ratings:
        check_player(rating.player)
        _check_word("game", rating.game)
        _check_word("pool", rating.pool)
        _require(isfinite(rating.mu) and isfinite(rating.sigma) and isfinite(rating.ordinal), "rating")
        _require(_is_number(rating.matches) and rating.matches >= 1, "number of matches")


def _check_word(what: str, text: str) -> None:
    _require(is_log_id(text), f"{what}: it must have 1 to {LONGEST_ID} characters, all of them visible")


def _is_number(value: int) -> bool:
    return -_FURTHEST <= value < _FURTHEST


def _require(is_valid: bool, what: str) -> None:
    if not is_valid:
        raise Unstorable(f"Invalid {what}.")
