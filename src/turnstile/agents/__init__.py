"""The agents of a league as processes: the league manager, its referees and its players over HTTP."""
