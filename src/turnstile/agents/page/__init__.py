"""The live page of a league, its report, and the scoreboard that both show.

`projection` makes the scoreboard from the manager's state, `render` makes HTML from it, and `routes` serves that. The
markup is in `templates/`, style sheet and script are in `static/`.
"""
