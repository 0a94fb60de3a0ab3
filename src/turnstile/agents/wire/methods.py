"""The method names of league.v2: the one under which a message is sent, and the others under which it is accepted."""

METHODS = {
    "REFEREE_REGISTER_REQUEST": ("register_referee", "referee_register"),
    "LEAGUE_REGISTER_REQUEST": ("register_player", "league_register"),
    "ROUND_ANNOUNCEMENT": ("notify_round", "announce_round", "notify"),
    "GAME_INVITATION": ("handle_game_invitation", "receive_game_invitation"),
    "CHOOSE_PARITY_CALL": ("choose_parity", "parity_choose", "receive_parity_call"),
    "GAME_MOVE_CALL": ("make_move",),
    "GAME_OVER": ("notify_match_result", "notify_game_over", "receive_game_over"),
    "GAME_ERROR": ("notify_game_error",),
    "MATCH_RESULT_REPORT": ("report_match_result",),
    "LEAGUE_STANDINGS_UPDATE": ("update_standings", "notify_standings", "standings_update"),
    "ROUND_COMPLETED": ("notify_round_completed",),
    "LEAGUE_COMPLETED": ("notify_league_completed",),
    "LEAGUE_QUERY": ("league_query", "query_league", "handle_league_query"),
    "START_LEAGUE": ("start_league",),
    "RUN_MATCH": ("run_match", "assign_match"),
    "LEAGUE_CHALLENGE": ("league_challenge",),
    "PING": ("ping",),
    "SHUTDOWN_COMMAND": ("shutdown",),
    # Replies. Some agents post them as requests.
    "GAME_JOIN_ACK": ("game_join_ack", "receive_game_join_ack"),
    "CHOOSE_PARITY_RESPONSE": ("choose_parity_response", "receive_parity_response"),
    "GAME_MOVE_RESPONSE": (),
    "GAME_OVER_ACK": (),
    "GAME_ERROR_ACK": (),
    "MATCH_RESULT_ACK": (),
    "ROUND_ANNOUNCEMENT_ACK": (),
    "STANDINGS_UPDATE_ACK": (),
    "ROUND_COMPLETED_ACK": (),
    "LEAGUE_COMPLETED_ACK": (),
    "LEAGUE_ERROR": (),
}
"""The methods of each message, first the one under which it is sent. The message type is always accepted, too, in
capitals or in lower case."""

FOREIGN_TYPES = {
    "RESPONSE_PARITY_CHOOSE": "CHOOSE_PARITY_RESPONSE",
    "PARITY_CHOICE": "CHOOSE_PARITY_RESPONSE",
    "MATCH_RESULT_ACKNOWLEDGED": "MATCH_RESULT_ACK",
    "START_MATCH": "RUN_MATCH",
    "MATCH_ASSIGNMENT": "RUN_MATCH",
}
"""Message types that other agents use, and ours. They are accepted as methods, too, in capitals or in lower case."""

OLD_CHOICE_METHOD = "parity_choose"
"""The only name of CHOOSE_PARITY_CALL that some players know."""

RECEIVE_METHODS = {"GAME_INVITATION": "receive_game_invitation", "GAME_OVER": "receive_game_over"}
"""The tool names of some agents that accept only `tools/call`. Their other tools have the usual names."""


def method_of(message_type: str) -> str:
    """The method under which a message is sent."""
    return next(iter(METHODS.get(message_type, ())), message_type.lower())


def _accepted_names() -> dict[str, str]:
    accepted: dict[str, str] = {}
    for message_type, names in METHODS.items():
        accepted.update(dict.fromkeys((message_type, message_type.lower(), *names), message_type))
    for foreign, message_type in FOREIGN_TYPES.items():
        accepted.update({foreign: message_type, foreign.lower(): message_type})
    return accepted


MESSAGE_TYPES = _accepted_names()
"""The message type for each accepted name."""


def message_type_of(named: object, method: str | None) -> str | None:
    """The type of a message: the one that it names if that is known, else the one that the method stands for."""
    by_name = MESSAGE_TYPES.get(named.strip().upper()) if isinstance(named, str) else None
    return by_name or MESSAGE_TYPES.get(method or "")
