"""The player as a pure machine: from its registration, through its matches, to the end of the league."""
