"""Where agents are found and how much they take on, if nobody says otherwise. Ports are those of league.v2."""

MANAGER_PORT = 8000
REFEREE_PORT = 8001
PLAYER_PORT = 8101
MANAGER_URL = f"http://127.0.0.1:{MANAGER_PORT}/mcp"
DEFAULT_CAPACITY = 16  # matches that a referee leads at a time
