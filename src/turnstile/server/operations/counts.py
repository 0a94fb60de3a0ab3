"""What a server has done, as plain numbers. `listener` shows them; adding to one costs next to nothing.

Every key comes from a fixed set: an endpoint's name, a status, a type of frame, a code of ours. Names of players,
tables and games are no keys.
"""

from collections import Counter

from turnstile.server.errors import OWN_CODES


class Counts:
    """Counts since the start, and how many of what there are now."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        """By endpoint and HTTP status."""
        self.errors: Counter[str] = Counter()
        """Refusals, by code; codes of games count as `game`."""
        self.frames_in: Counter[str] = Counter()
        """Frames of the WebSocket, by type."""
        self.frames_out = 0
        self.booked = 0
        """Matches whose results this process has stored."""
        self.closed: Counter[int] = Counter()
        """WebSockets, by the code they were closed with."""
        self.opened = 0
        """WebSockets that were opened."""
        self.connections = 0
        """WebSockets that are open."""
        self.streams = 0
        """Streams and long polls that are open."""

    def count_error(self, code: str) -> None:
        """Count a refusal. A game's codes are its own affair, and count together."""
        self.errors[code if code in OWN_CODES else "game"] += 1
