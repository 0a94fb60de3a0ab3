/** Runs in the page: the sentences for messages of 66. */
async (messages) => {
  const { default: layout } = await import("/static/layouts/66.js");
  const view = { players: ["ana", "bo", "cy", "dan", "eve"], playerIndex: 0 };
  return messages.map((message) => layout.words(message, { view, name: (player) => (player === "ana" ? "you" : player) }));
}
