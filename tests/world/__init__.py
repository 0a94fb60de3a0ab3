"""A simulated world: the real host and the real machines, with everything around them made up from one seed.

Loop, store, network, processes and players are simulated; what is under test is not. `python -m tests.world SEED`
repeats one world.
"""
