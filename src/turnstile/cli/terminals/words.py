"""Words that the terminals of several games use."""

from collections.abc import Sequence

from turnstile.kernel import ByPlayer, PlayerId


def you_or_name(who: PlayerId, player: PlayerId | None) -> str:
    """`you` for the player at this terminal, and the name for every other player."""
    return "you" if who == player else who


def join_words(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, or `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def capitalize(words: str) -> str:
    """The same words with a capital letter in front; names in them stay as they are."""
    return words[:1].upper() + words[1:]


def points_of(score: ByPlayer[int], player: PlayerId) -> str:
    """The score as `3 : 1`, the points of this player first."""
    return " : ".join(str(points) for _, points in sorted(score.items(), key=lambda item: item[0] != player))
