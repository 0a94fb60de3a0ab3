"""A match being played: seats, gates, acknowledgements and clocks, as a pure machine around the machine of its game."""
