"""A small machine, five phases with a guard and an action, beside two libraries: what does one gain?

The door in this kernel is a frozen value that is replaced, and in the libraries an object that changes.
"""

from importlib import import_module
from importlib.util import find_spec

from bench.door import in_turnstile
from bench.door.story import EVENTS
from bench.harness import Absent, Aim, Contest, Contestant

PEERS = {
    "transitions": ("transitions", "bench.door.in_transitions"),
    "python-statemachine": ("statemachine", "bench.door.in_statemachine"),
}
"""By the name under which one installs it: what one imports, and where the door is written in it."""

INSTALL = "pip install 'turnstile[bench]'"


def contest() -> Contest:
    here = [name for name in PEERS if _is_installed(name)]
    return Contest(
        name="door",
        title="A door with five phases, a guard and an action",
        unit="event",
        units=len(EVENTS),
        baseline="apply",
        contestants=(in_turnstile.by_apply, in_turnstile.by_step, *map(_peer, here)),
        absent=[
            Absent(name, f"{name} is not installed and was not measured; {INSTALL} brings it.")
            for name in PEERS
            if name not in here
        ],
        aims=(
            Aim(contestant="transitions", sentence="apply is at least 20 times as fast as transitions", at_least=20),
        ),
    )


def _is_installed(name: str) -> bool:
    package, _ = PEERS[name]
    return find_spec(package) is not None


def _peer(name: str) -> Contestant:
    _, module = PEERS[name]
    peer = import_module(module).peer
    assert isinstance(peer, Contestant)
    return peer
