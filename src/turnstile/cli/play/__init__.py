"""`turnstile play`: a game in the terminal, against bots here or at a table of a server."""
