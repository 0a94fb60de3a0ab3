"""The method names of league.v2: under which one a message is sent, and under which others it is understood."""

TOOLS = {
    "REFEREE_REGISTER_REQUEST": "register_referee",
    "LEAGUE_REGISTER_REQUEST": "register_player",
    "ROUND_ANNOUNCEMENT": "notify_round",
    "GAME_INVITATION": "handle_game_invitation",
    "CHOOSE_PARITY_CALL": "choose_parity",
    "GAME_MOVE_CALL": "make_move",
    "GAME_OVER": "notify_match_result",
    "GAME_ERROR": "notify_game_error",
    "MATCH_RESULT_REPORT": "report_match_result",
    "LEAGUE_STANDINGS_UPDATE": "update_standings",
    "ROUND_COMPLETED": "notify_round_completed",
    "LEAGUE_COMPLETED": "notify_league_completed",
    "LEAGUE_QUERY": "league_query",
    "START_LEAGUE": "start_league",
    "RUN_MATCH": "run_match",
    "LEAGUE_CHALLENGE": "league_challenge",
    "PING": "ping",
    "SHUTDOWN_COMMAND": "shutdown",
}
"""Under which method a message is sent. What is not here travels in replies; posted, it is its name in lower case."""

ALSO = {
    "REFEREE_REGISTER_REQUEST": ("referee_register",),
    "LEAGUE_REGISTER_REQUEST": ("league_register",),
    "ROUND_ANNOUNCEMENT": ("announce_round", "notify"),
    "GAME_INVITATION": ("receive_game_invitation",),
    "CHOOSE_PARITY_CALL": ("parity_choose", "receive_parity_call"),
    "GAME_OVER": ("notify_game_over", "receive_game_over"),
    "LEAGUE_STANDINGS_UPDATE": ("notify_standings", "standings_update"),
    "LEAGUE_QUERY": ("query_league", "handle_league_query"),
    "GAME_JOIN_ACK": ("receive_game_join_ack",),
    "CHOOSE_PARITY_RESPONSE": ("receive_parity_response",),
    "RUN_MATCH": ("assign_match",),
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
"""Further names. Every message is understood under its type, too, in capitals or not."""

TYPES_SEEN = {
    "RESPONSE_PARITY_CHOOSE": "CHOOSE_PARITY_RESPONSE",
    "PARITY_CHOICE": "CHOOSE_PARITY_RESPONSE",
    "MATCH_RESULT_ACKNOWLEDGED": "MATCH_RESULT_ACK",
    "START_MATCH": "RUN_MATCH",
    "MATCH_ASSIGNMENT": "RUN_MATCH",
}
"""Message types that others use, and what they mean. As methods they are understood, too, in capitals or not."""

OLD_CHOICE_TOOL = "parity_choose"
"""The only name of the choice that some players know."""


def tool_of(message_type: str) -> str:
    """The method under which a message is sent."""
    return TOOLS.get(message_type, message_type.lower())


def _understood() -> dict[str, str]:
    known: dict[str, str] = {}
    for message_type in {**TOOLS, **ALSO}:
        names = (message_type, message_type.lower(), tool_of(message_type), *ALSO.get(message_type, ()))
        known.update(dict.fromkeys(names, message_type))
    for seen, message_type in TYPES_SEEN.items():
        known.update({seen: message_type, seen.lower(): message_type})
    return known


MESSAGE_TYPES = _understood()
"""What is meant by a method."""


def meant(message_type: object, method: str | None) -> str | None:
    """What a message is: its type where that is known, else what its method says; `None` if neither says anything."""
    if isinstance(message_type, str):
        named = message_type.strip().upper()
        if named in MESSAGE_TYPES:
            return MESSAGE_TYPES[named]
    return None if method is None else MESSAGE_TYPES.get(method)
