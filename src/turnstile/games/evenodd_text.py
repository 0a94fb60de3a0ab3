"""The rules of Even/Odd for people, in one screen. The page docs/games/even-odd.md has the same words."""

RULES = """\
**A draw.** Both players say "even" or "odd" in secret. Then a number from 1 to 10 is drawn. If one player is right
and the other wrong, the one who is right has won the draw and gets 3 points, the other 0. If both are right or both
are wrong it is a draw, and both get 1.

**The match.** A match has 10 draws; the option `draws` makes it any number from 1 to 100. The points add up. The
highest total wins, equal totals share the win. In the Even/Odd league a match is a single draw.
"""
