"""The limit on open files: every connection is one, so a process may not promise more connections than files."""

import logging
import sys

from msgspec.structs import replace

from turnstile.server.settings import ServerSettings

log = logging.getLogger("turnstile.server")

OTHER_FILES = 64
"""Files that a server needs besides its connections: the store, the listeners, the logs, what libraries open."""
FEWEST = 16
"""Connections that a server takes even if the system permits next to no files."""


def fit_open_files(settings: ServerSettings) -> ServerSettings:
    """Raise the limit of this process so that all connections fit; if that is forbidden, take fewer connections."""
    permitted = _raise_limit(settings.most_connections + OTHER_FILES)
    fitting = max(FEWEST, permitted - OTHER_FILES)
    if fitting >= settings.most_connections:
        return settings
    log.warning(
        "The system permits %d open files, so this server takes %d connections at once instead of %d. "
        "Raise the hard limit (ulimit -Hn), or lower --most-connections.",
        permitted,
        fitting,
        settings.most_connections,
    )
    return replace(settings, most_connections=fitting)


def _raise_limit(wanted: int) -> int:
    """Let this process open so many files, or as many as the system permits. Returns how many it may open."""
    if sys.platform == "win32":
        return wanted  # there is no such limit
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    possible = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
    except (ValueError, OSError):
        return soft
    return possible
