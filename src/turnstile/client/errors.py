"""What can go wrong for a client: a refusal, a connection that is closed for good, a server that cannot be reached."""


class Refused(Exception):
    """The server, the table or the game refuses something. Nothing has changed. Programs branch on `code`."""

    def __init__(
        self, code: str, message: str, *, status: int = 0, seq: int | None = None, seconds: float | None = None
    ) -> None:
        """`status`: of HTTP. `seq`: the newest update of the caller. `seconds`: how long to wait, if that helps."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.seq = seq
        self.seconds = seconds


class Closed(Exception):
    """The server has closed the connection for good, such as 4009: a newer connection has taken the seat."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Unreachable(ConnectionError):
    """The server does not answer. A request that changes something may have reached it or not."""
