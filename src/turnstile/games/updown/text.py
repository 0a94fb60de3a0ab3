"""The rules of Up-Down for people, in one screen. The page docs/games/up-down.md has the same words and more."""

RULES = """\
**Rounds.** The first round gives each player one card, the next two, and so on up to the largest round, and down
again to one. One more card is turned over, the *mesa*: its suit beats all others in this round.

**Betting.** One player after the other says how many hands of this round it will win. The last one may not make the
sum equal to the number of hands, so the bets never come true for all players.

**Playing.** The player who bet second leads the first hand; the winner of a hand leads the next. The suit of the
first card is the *pinta* of the hand. A player who holds the pinta must play it; a player who does not may play
anything. The highest card of the mesa's suit wins the hand; without one, the highest card of the pinta. Ace is high.

**Points.** A player who wins exactly as many hands as it bet gets 10 points and 2 for each hand. All others get
nothing. The highest total after the last round wins; equal totals share the win.
"""
