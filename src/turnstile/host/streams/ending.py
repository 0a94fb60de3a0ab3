"""Why a line ends."""

from enum import Enum, auto


class Ending(Enum):
    """Why a host has ended a line, or that its reader has closed it."""

    CLOSED = auto()
    REPLACED = auto()
    """A newer line of the seat was attached, here or in another process."""
    SEAT_CHANGED = auto()
    """The player has taken a seat, left it or was removed from it: another stream is its own now."""
    STOPPING = auto()
    """The host stops."""
    RESTORED = auto()
    """An older store was restored: the reader may have seen what is not stored."""
    UNREADABLE = auto()
    """The log could not be read now."""
    PUT_ASIDE = auto()
    GONE = auto()
