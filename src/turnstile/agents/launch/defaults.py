"""The default ports, as in league.v2, and the default capacity of a referee."""

MANAGER_PORT = 8000
REFEREE_PORT = 8001
PLAYER_PORT = 8101
MANAGER_URL = f"http://127.0.0.1:{MANAGER_PORT}/mcp"
DEFAULT_CAPACITY = 16  # matches of a referee at a time
