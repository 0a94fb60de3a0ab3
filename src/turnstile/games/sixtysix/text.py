"""The rules of 66 for people, in one screen. The page docs/games/66.md has the same words and more."""

RULES = """\
**Cards.** 52 cards: two 0s, two 13s, and four of every value between. Each player has four, face down in a row, and
looks at the first two. One card lies face up: the discard pile. The rest is the deck. Low hands are good.

**A turn** is one of four things:

- *Take a card from the deck.* Put it in the place of one of your cards, or discard it at once. A 7 to 12 that is
  discarded at once must be used: 7 or 8, look at a card of yours; 9 or 10, look at another player's card; 11 or 12,
  exchange a card for another player's.
- *Take the discarded card* in the place of one of your cards.
- *Show two or more cards* as identical. If they are, one card takes the place of all of them: the next from
  the deck, unseen, or the discarded card. If not, they stay.
- *Stop the round.* Each other player has one more turn. Without a stop, the round ends with the deck.

**Points.** After the round you score the sum of your cards. The player who stopped scores 0 if nobody holds less, and
otherwise its sum plus 10. The match ends when a total exceeds 66. The lowest total wins; equal totals share the win.
"""
