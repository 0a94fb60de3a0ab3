"""The program `turnstile`, which is `python -m turnstile` as well. Ctrl-C ends it quietly, even while it is read in."""

import os
import signal
from types import FrameType

INTERRUPTED = 130  # as in turnstile.cli.arguments, which is not there yet


def main() -> None:
    """Read in the command line, which takes a moment, and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # and not, say, ignored, as for who is started in the background
        signal.signal(signal.SIGINT, _leave)
    from turnstile.cli import main as run

    signal.signal(signal.SIGINT, before)
    run()


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing has been done or said so far."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
