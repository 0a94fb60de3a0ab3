"""The Even/Odd league: its messages, and its referee and its player as pure machines. More about it: docs/league.md."""
