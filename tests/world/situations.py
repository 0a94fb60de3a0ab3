"""Rare situations that a run of many worlds must reach: a run that misses one has not tried what it claims to try."""

MUST_BE_REACHED = (
    # crashes
    "crash between commit and answer",  # C3
    "crash between create and answer",  # C9
    "crash between rematch and next table",
    "crash during recovery",  # C13
    # the network
    "a command is repeated",
    "the stored answer is given",  # N1
    "refused: IdReused",  # N3
    "refused: StaleVersion",  # N4
    "two lines for one seat",  # N8
    "refused: FutureUpdate",  # N9
    "resend from a snapshot",  # N10
    "resend from an old snapshot",
    "resend from the beginning",
    # the store
    "conflict",  # K6
    "refused: Busy",  # S4
    "Busy, then accepted",
    "refused: StorageFull",  # S3
    "StorageFull, then accepted",
    "refused: OutcomeUnknown",  # C15
    "OutcomeUnknown, then accepted",
    # time
    "a move, then a timer in the same instant",  # T4
    "a timer, then a move in the same instant",
    "a timer comes second",  # T5
    "outage extends a deadline",  # T6
    "away while starting",  # T14
    "away while gathering",
    "away and back",
    "forfeit",
    "a bot stood in",
    # players
    "refused: FutureAck",  # P6
    "refused: FutureVersion",  # P4
    "refused: AcksMissing",
    "refused: NoSuchTable",
    "refused: NoSpectators",
    "resigns while gathering",
    "a gate opened by acks at two processes",
    "spectator with delay",  # V4
    "words added",
    "rematch",
    "ended: played",
    "ended: resigned",
    "ended: outOfTime",
)
