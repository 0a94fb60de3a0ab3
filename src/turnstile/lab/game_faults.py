"""Names the line of an installed game, or of its bots or its terminal, in which a match fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import StackSummary, format_exception_only, walk_tb

from turnstile.bots.search import ImpossibleState
from turnstile.kernel import AnyGame, Event, MachineError, NoMove, Rejection
from turnstile.registry import BOTS, GAMES, STUDIES, PackageFault, places_of

OURS = "turnstile"
GROUPS = (GAMES, STUDIES, BOTS, "turnstile.terminals")


@contextmanager
def game_faults(game: AnyGame) -> Iterator[None]:
    """Turn an exception of the packages of a game into a `PackageFault`. All others stay as they are."""
    try:
        yield
    except (MachineError, NoMove, ImpossibleState) as fault:
        raise PackageFault(f"{game.title} has failed: {fault}") from fault
    except Exception as fault:
        if (named := _named(game, fault)) is None:
            raise
        raise named from fault


def refusal_fault(game: AnyGame, state: object, event: Event, refusal: Rejection) -> PackageFault:
    """Why the event of the dealer, or of a participant, was refused: the game offered it, or a bot made it up."""
    if event in game.offered(state):
        return PackageFault(f"{game.title} has failed: it offers {event} and refuses it: {refusal.sentence}")
    return PackageFault(f"A bot of {game.title} has failed: it chose {event!r:.200}, which was not offered.")


def _named(game: AnyGame, fault: Exception) -> PackageFault | None:
    """The fault with the last line of the game's packages that led to it; `None` if no line of theirs did."""
    packages = _packages_of(game)
    frames = list(walk_tb(fault.__traceback__))
    own = [number for number, (frame, _) in enumerate(frames) if _package(frame.f_globals["__name__"]) in packages]
    if not own:
        return None
    trace = StackSummary.extract(iter(frames[own[0] :]))
    last = trace[own[-1] - own[0]]
    what = " ".join("".join(format_exception_only(fault)).split())
    sentence = f"{game.title} has failed: {what} ({Path(last.filename).name}, line {last.lineno}: {last.line})."
    return PackageFault(sentence, "".join([*trace.format(), *format_exception_only(fault), "\n"]))


def _packages_of(game: AnyGame) -> set[str]:
    """The packages, or plain modules, of a game that does not come with this program."""
    return {_package(place.partition(":")[0]) for place in places_of(game.name, GROUPS)} - {OURS}


def _package(module: str) -> str:
    return module.partition(".")[0]
