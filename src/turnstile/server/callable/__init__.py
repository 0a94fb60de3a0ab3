"""The callable functions of Up-Down, in the wire format of Firebase, and the game as a document. See docs/callable.md.

`functions` are the three functions, `wire` is their format and `statuses` their errors; `rooms` reads and acknowledges
for callers, `document` is what they read; `sign_in` makes the official Firebase client work unchanged.
"""

from turnstile.server.callable import documents, functions, sign_in
from turnstile.server.endpoint import Endpoint

CALLABLE_ENDPOINTS: tuple[Endpoint, ...] = (
    *documents.ENDPOINTS,
    *functions.ENDPOINTS,
    *sign_in.ENDPOINTS,
)

DESCRIBED_ENDPOINTS: tuple[Endpoint, ...] = (*functions.DESCRIBED, *documents.ENDPOINTS)
"""Those that the OpenAPI document describes. The routes for signing in belong to the protocol of Firebase."""

__all__ = ["CALLABLE_ENDPOINTS", "DESCRIBED_ENDPOINTS"]
