"""Durable machines: a log in a store, the state it leads to, and the one way in which that state changes.

`log` turns events into entries and entries into states; a `Kind` tells it how one kind of machine is written. `storing`
creates and loads logs, `keeper` keeps one machine: read, decide, commit, tell. `timed_log` and `timed_keeper` do it for
machines whose timers stand beside their state. `room` holds the live machines of a process, `alarm` knows what is due
next, and `upkeep` is what an operator does with stored logs. Tables and the agents of the league are both kept in this
way.
"""
