"""The contract: the HTTP interface as OpenAPI 3.1 and the WebSocket as AsyncAPI 3.0, both made from the types.

The documents are served at `/openapi.json` and `/asyncapi.json`. Nothing in them is written by hand a second time:
paths, bodies, errors and limits come from the endpoints, messages from the frames, texts from docstrings.
"""

from turnstile.server.callable import DESCRIBED_ENDPOINTS
from turnstile.server.contract.asyncapi import asyncapi
from turnstile.server.contract.openapi import openapi
from turnstile.server.http import ENDPOINTS

DESCRIBED = (*ENDPOINTS, *DESCRIBED_ENDPOINTS)
"""All endpoints of the contract."""

__all__ = ["DESCRIBED", "asyncapi", "openapi"]
