"""Seeds of worlds that once went wrong, with what was wrong; they are tried for ever."""

REGRESSIONS = {
    3: "a line whose reader left before it was there stayed for ever",
    8: "a finished table stayed in memory",
    13: "a snapshot with waiting batches could not be read, and ended the lines that needed it",
    19: "a gate took acknowledgements that a bot had stopped standing in for",
    42: "a store that was busy while a table was read ended the process",
    66: "a rematch began without somebody the store had been too busy to seat",
    134: "the same, with three seats",
}
