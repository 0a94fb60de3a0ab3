"""A table: a match being played, with seats, gates, acknowledgements and clocks. It is a pure machine around its game.

`machine` has the transitions, `values` the state and the events. Import names from these modules.
"""
