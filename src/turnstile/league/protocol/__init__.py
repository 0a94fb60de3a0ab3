"""The messages of league.v2, the words and errors in them, and what players and referees are told."""
