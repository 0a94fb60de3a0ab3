"""For authors of games, on a server that was started with `--dev` and serves this machine alone.

`games` loads a game again when its file changes. `seats` lets one person hold all seats of a table. `steps` shows what
the rules did. `access` refuses all of it elsewhere: a step shows what players may not see of each other.
"""
