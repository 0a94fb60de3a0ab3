"""`turnstile league`: a whole league, each of its agents, and a word to a manager."""
