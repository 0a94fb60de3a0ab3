"""Hosts: where the pure table meets store, clock and players. Dull by design: read, decide, commit, tell."""

from turnstile.host.answers import Refused
from turnstile.host.host import Host
from turnstile.host.streams.ending import Ending
from turnstile.host.streams.lines import Line, Status, Update

__all__ = ["Ending", "Host", "Line", "Refused", "Status", "Update"]
