"""The rules of E-Card for people, in one screen. The page docs/games/e-card.md has the same words."""

RULES = """\
**Cards.** The Emperor beats a Citizen, a Citizen beats the Slave, the Slave beats the Emperor. Two Citizens are a
draw.

**A decisive round.** One player has the Emperor's side (the Emperor and four Citizens), the other the Slave's (the
Slave and four Citizens). Both lay a card face down, then both are turned over. After a draw the two Citizens are gone
and both lay again; the first pair that is not a draw ends the round and gives its winner a point. After four draws
only Emperor and Slave are left.

**The match.** Twelve decisive rounds, in four sides of three. The roles switch after rounds 3, 6 and 9. Who has the
Emperor's side first is drawn from the seed. The player with more points after twelve rounds wins. At six to six there
is one extra round, in the roles of the last side, and its winner wins the match.
"""
