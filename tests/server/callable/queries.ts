function isMyTurn(game: GameState, myId: string): boolean {
  if (game.status === 'betting') {
    return game.currentRound?.bettingOrder[
      game.currentRound.currentBettingIndex
    ] === myId;
  }
  if (game.status === 'playing_hand') {
    return game.currentRound?.currentHand?.handOrder[
      game.currentRound.currentHand.currentPlayerIndex
    ] === myId;
  }
  return false;
}

function getMyHand(game: GameState, myId: string): Card[] {
  return game.players.find(p => p.id === myId)?.hand || [];
}

function getMesa(game: GameState): Card | null {
  return game.currentRound?.mesa || null;
}

function getPinta(game: GameState): Suit | null {
  return game.currentRound?.currentHand?.pinta || null;
}

function canPlayCard(game: GameState, myId: string, card: Card): boolean {
  const myHand = getMyHand(game, myId);
  if (!myHand.some(c => c.suit === card.suit && c.rank === card.rank)) {
    return false; // Card not in hand
  }
  
  const pinta = getPinta(game);
  if (!pinta) return true; // First card, can play anything
  
  const hasPinta = myHand.some(c => c.suit === pinta);
  if (hasPinta && card.suit !== pinta) {
    return false; // Must follow pinta
  }
  
  return true;
}
