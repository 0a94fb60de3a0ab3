"""Seeds of worlds that went wrong until something was mended, with what that was; they are tried for ever.

A seed stands for its world only as long as worlds are drawn in the same way: whoever changes that looks for the bug
again (most are planted in bugs.py) and puts the new seed here.
"""

REGRESSIONS = {
    0: "a store that was busy while a table was read ended the process",
    153: "two processes counted one outage twice",
    297: "a rematch began without somebody whom the store had been too busy to seat",
    360: "a line whose reader left before it was there stayed for ever",
    2030: "a timer rang after two jumps of the clock, of which one was given back",
    4699: "a timer rang after two jumps of the clock, while the store was busy",
    10468: "a timer rang because the clock jumped between the look for outages and the ring",
    19273: "a command after a jump of the clock made the table later than the outage that the jump was",
}
