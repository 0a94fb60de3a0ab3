"""The HTTP interface: one module for each resource, and the list of all endpoints."""

from turnstile.server.endpoint import Endpoint
from turnstile.server.http import contract, dev, games, players, results, streams, tables

ENDPOINTS: tuple[Endpoint, ...] = (
    *players.ENDPOINTS,
    *games.ENDPOINTS,
    *results.ENDPOINTS,
    *tables.ENDPOINTS,
    *streams.ENDPOINTS,
    *contract.ENDPOINTS,
    *dev.ENDPOINTS,
)
