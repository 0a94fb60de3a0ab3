"""The two diagrams of the specification, as data, and where the machines depart from them.

`timeout (5s)` of the referee's diagram is `timeout_player_A` and `timeout_player_B` in its tables, and here; the one of
REPORTING_RESULT has no name there. `[*]` is the end of a diagram.
"""

from collections.abc import Sequence

from tests.conformance import Departure, Edge, Spec

PLAYER_TIMEOUTS = ("timeout_player_A", "timeout_player_B")

REFEREE: Sequence[Edge] = [
    ("IDLE", "match_assigned", "WAITING_FOR_PLAYERS"),
    ("WAITING_FOR_PLAYERS", "GAME_JOIN_ACK", "WAITING_FOR_PLAYERS"),
    ("WAITING_FOR_PLAYERS", "GAME_JOIN_ACK", "COLLECTING_CHOICES"),
    *(("WAITING_FOR_PLAYERS", timeout, "WAITING_FOR_PLAYERS") for timeout in PLAYER_TIMEOUTS),
    *(("WAITING_FOR_PLAYERS", timeout, "NOTIFYING_PLAYERS") for timeout in PLAYER_TIMEOUTS),
    ("COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE", "COLLECTING_CHOICES"),
    ("COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE", "DRAWING_NUMBER"),
    *(("COLLECTING_CHOICES", timeout, "COLLECTING_CHOICES") for timeout in PLAYER_TIMEOUTS),
    *(("COLLECTING_CHOICES", timeout, "NOTIFYING_PLAYERS") for timeout in PLAYER_TIMEOUTS),
    ("DRAWING_NUMBER", "number_drawn", "NOTIFYING_PLAYERS"),
    ("NOTIFYING_PLAYERS", "players_notified", "REPORTING_RESULT"),
    ("REPORTING_RESULT", "MATCH_RESULT_ACK", "MATCH_COMPLETE"),
    ("REPORTING_RESULT", "timeout_league_manager", "REPORTING_RESULT"),
    ("REPORTING_RESULT", "timeout_league_manager", "MATCH_COMPLETE"),
    ("MATCH_COMPLETE", "cleanup_complete", "IDLE"),
    ("MATCH_COMPLETE", "referee_shutdown", "[*]"),
]

REFEREE_DEPARTURES = (
    Departure(
        "An answer may end a match",
        new=[
            ("WAITING_FOR_PLAYERS", "GAME_JOIN_ACK", "NOTIFYING_PLAYERS"),
            ("COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE", "NOTIFYING_PLAYERS"),
        ],
    ),
    Departure(
        "A choice that comes too early",
        new=[("WAITING_FOR_PLAYERS", "CHOOSE_PARITY_RESPONSE", "WAITING_FOR_PLAYERS")],
    ),
    Departure(
        "The standings are asked for in COLLECTING_CHOICES",
        new=[
            ("COLLECTING_CHOICES", "LEAGUE_QUERY_RESPONSE", "COLLECTING_CHOICES"),
            ("COLLECTING_CHOICES", "timeout_league_manager", "COLLECTING_CHOICES"),
        ],
    ),
    Departure(
        "A delivery that fails is an event",
        new=[
            ("WAITING_FOR_PLAYERS", "delivery_failed", "WAITING_FOR_PLAYERS"),
            ("COLLECTING_CHOICES", "delivery_failed", "COLLECTING_CHOICES"),
            ("NOTIFYING_PLAYERS", "delivery_failed", "NOTIFYING_PLAYERS"),
            *(("NOTIFYING_PLAYERS", timeout, "NOTIFYING_PLAYERS") for timeout in PLAYER_TIMEOUTS),
        ],
    ),
    Departure(
        "NOTIFYING_PLAYERS waits",
        new=[("NOTIFYING_PLAYERS", "GAME_OVER_ACK", "NOTIFYING_PLAYERS")],
    ),
    Departure(
        "A match may be given to another referee",
        new=[
            ("WAITING_FOR_PLAYERS", "match_withdrawn", "IDLE"),
            ("COLLECTING_CHOICES", "match_withdrawn", "IDLE"),
            ("NOTIFYING_PLAYERS", "match_withdrawn", "IDLE"),
            ("REPORTING_RESULT", "match_withdrawn", "IDLE"),
        ],
    ),
    Departure(
        "Matches of other games",
        new=[
            ("WAITING_FOR_PLAYERS", "GAME_MOVE_RESPONSE", "WAITING_FOR_PLAYERS"),
            ("COLLECTING_CHOICES", "GAME_MOVE_RESPONSE", "COLLECTING_CHOICES"),
            ("COLLECTING_CHOICES", "GAME_MOVE_RESPONSE", "NOTIFYING_PLAYERS"),
        ],
    ),
    Departure(
        "Shutting down",
        gone=[("MATCH_COMPLETE", "referee_shutdown", "[*]")],
    ),
)

PLAYER: Sequence[Edge] = [
    ("UNREGISTERED", "player_startup", "REGISTERING"),
    ("REGISTERING", "LEAGUE_REGISTER_RESPONSE", "REGISTERED"),
    ("REGISTERING", "LEAGUE_REGISTER_RESPONSE", "UNREGISTERED"),
    ("REGISTERING", "timeout", "REGISTERING"),
    ("REGISTERING", "timeout", "[*]"),
    ("REGISTERED", "ROUND_ANNOUNCEMENT", "WAITING_FOR_ROUND"),
    ("WAITING_FOR_ROUND", "GAME_INVITATION", "INVITED_TO_MATCH"),
    ("INVITED_TO_MATCH", "ready_to_join", "WAITING_FOR_CHOICE_REQUEST"),
    ("INVITED_TO_MATCH", "GAME_OVER", "MATCH_COMPLETE"),
    ("WAITING_FOR_CHOICE_REQUEST", "CHOOSE_PARITY_CALL", "CHOOSING_PARITY"),
    ("CHOOSING_PARITY", "choice_made", "WAITING_FOR_RESULT"),
    ("CHOOSING_PARITY", "GAME_OVER", "MATCH_COMPLETE"),
    ("WAITING_FOR_RESULT", "GAME_OVER", "MATCH_COMPLETE"),
    ("MATCH_COMPLETE", "GAME_INVITATION", "INVITED_TO_MATCH"),
    ("MATCH_COMPLETE", "ROUND_COMPLETED", "REGISTERED"),
    ("MATCH_COMPLETE", "LEAGUE_COMPLETED", "LEAGUE_COMPLETE"),
    ("REGISTERED", "LEAGUE_COMPLETED", "LEAGUE_COMPLETE"),
    ("LEAGUE_COMPLETE", "shutdown_initiated", "[*]"),
]

IN_MATCH = ("INVITED_TO_MATCH", "WAITING_FOR_CHOICE_REQUEST", "CHOOSING_PARITY", "WAITING_FOR_RESULT")
BETWEEN_MATCHES = ("REGISTERED", "WAITING_FOR_ROUND", "MATCH_COMPLETE")

PLAYER_DEPARTURES = (
    Departure(
        "Exiting",
        gone=[("REGISTERING", "timeout", "[*]"), ("LEAGUE_COMPLETE", "shutdown_initiated", "[*]")],
        new=[
            ("REGISTERING", "timeout", "UNREGISTERED"),
            ("LEAGUE_COMPLETE", "shutdown_initiated", "LEAGUE_COMPLETE"),
        ],
    ),
    Departure(
        "A manager that cannot be reached",
        new=[
            ("REGISTERING", "delivery_failed", "REGISTERING"),
            ("REGISTERING", "delivery_failed", "UNREGISTERED"),
        ],
    ),
    Departure("Another name is tried after a moment", new=[("UNREGISTERED", "timeout", "REGISTERING")]),
    Departure(
        "A countdown that ends is an answer",
        new=[
            ("INVITED_TO_MATCH", "timeout", "WAITING_FOR_CHOICE_REQUEST"),
            ("CHOOSING_PARITY", "timeout", "WAITING_FOR_RESULT"),
        ],
    ),
    Departure(
        "Announcements in other states",
        new=[
            ("REGISTERED", "ROUND_ANNOUNCEMENT", "REGISTERED"),
            ("WAITING_FOR_ROUND", "ROUND_ANNOUNCEMENT", "WAITING_FOR_ROUND"),
            ("WAITING_FOR_ROUND", "ROUND_ANNOUNCEMENT", "REGISTERED"),
            ("MATCH_COMPLETE", "ROUND_ANNOUNCEMENT", "WAITING_FOR_ROUND"),
            ("MATCH_COMPLETE", "ROUND_ANNOUNCEMENT", "REGISTERED"),
            ("MATCH_COMPLETE", "ROUND_ANNOUNCEMENT", "MATCH_COMPLETE"),
            ("REGISTERING", "ROUND_ANNOUNCEMENT", "REGISTERING"),
            *((phase, "ROUND_ANNOUNCEMENT", phase) for phase in IN_MATCH),
        ],
    ),
    Departure(
        "A match may be given to another referee",
        new=[(phase, "ROUND_ANNOUNCEMENT", "WAITING_FOR_ROUND") for phase in IN_MATCH],
    ),
    Departure(
        "A queued announcement is taken up in one step",
        new=[
            ("REGISTERING", "LEAGUE_REGISTER_RESPONSE", "WAITING_FOR_ROUND"),
            *((phase, "GAME_OVER", "WAITING_FOR_ROUND") for phase in IN_MATCH),
            *((phase, "GAME_OVER", "REGISTERED") for phase in IN_MATCH),
            *((phase, "ROUND_COMPLETED", "WAITING_FOR_ROUND") for phase in IN_MATCH),
        ],
    ),
    Departure(
        "An invitation that nobody announced",
        new=[("REGISTERED", "GAME_INVITATION", "INVITED_TO_MATCH")],
    ),
    Departure(
        "Repeated requests",
        new=[
            *((phase, "GAME_INVITATION", phase) for phase in IN_MATCH),
            ("CHOOSING_PARITY", "CHOOSE_PARITY_CALL", "CHOOSING_PARITY"),
            ("WAITING_FOR_RESULT", "CHOOSE_PARITY_CALL", "WAITING_FOR_RESULT"),
            ("MATCH_COMPLETE", "GAME_OVER", "MATCH_COMPLETE"),
        ],
    ),
    Departure(
        "An early end",
        new=[("WAITING_FOR_CHOICE_REQUEST", "GAME_OVER", "MATCH_COMPLETE")],
    ),
    Departure(
        "A match may be over unheard",
        new=[
            *((phase, "GAME_INVITATION", "INVITED_TO_MATCH") for phase in IN_MATCH[1:]),
            *((phase, "ROUND_COMPLETED", "REGISTERED") for phase in (*IN_MATCH, "WAITING_FOR_ROUND")),
            *((phase, "ROUND_COMPLETED", phase) for phase in (*IN_MATCH, "WAITING_FOR_ROUND", "MATCH_COMPLETE")),
            *((phase, "LEAGUE_COMPLETED", "LEAGUE_COMPLETE") for phase in (*IN_MATCH, "WAITING_FOR_ROUND")),
        ],
    ),
    Departure(
        "Matches of other games",
        new=[
            ("WAITING_FOR_CHOICE_REQUEST", "GAME_MOVE_CALL", "CHOOSING_PARITY"),
            ("CHOOSING_PARITY", "GAME_MOVE_CALL", "CHOOSING_PARITY"),
            ("CHOOSING_PARITY", "move_made", "WAITING_FOR_RESULT"),
            ("WAITING_FOR_RESULT", "GAME_MOVE_CALL", "WAITING_FOR_RESULT"),
            ("WAITING_FOR_RESULT", "GAME_MOVE_CALL", "CHOOSING_PARITY"),
        ],
    ),
    Departure(
        "News and complaints",
        new=[
            *((phase, "LEAGUE_STANDINGS_UPDATE", phase) for phase in (*IN_MATCH, *BETWEEN_MATCHES)),
            *((phase, "GAME_ERROR", phase) for phase in IN_MATCH),
            ("REGISTERED", "ROUND_COMPLETED", "REGISTERED"),
        ],
    ),
)

SPECS = {
    "referee": Spec("Even/Odd league: referee", REFEREE, REFEREE_DEPARTURES),
    "player": Spec("Even/Odd league: player", PLAYER, PLAYER_DEPARTURES),
}
