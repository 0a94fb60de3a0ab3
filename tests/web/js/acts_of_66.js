/** Runs in the page: taps everything that a layout of 66 shows, in every order, and returns the moves that are made. */
async (cases) => {
  const { default: layout } = await import("/static/layouts/66.js");
  const { h } = await import("/static/lib/dom.js");
  const enter = () => new KeyboardEvent("keydown", { key: "Enter", cancelable: true });
  return cases.map(({ view, actions, seat, sent }) => {
    const made = new Set(), met = new Set([null]), waiting = [null];
    const memory = {};
    while (waiting.length) {
      const raised = waiting.pop();
      const raise = (key) => met.has(key) || (met.add(key), waiting.push(key));
      const scene = {
        view, actions, seat, sent, raised, raise, memory, messages: [], act: (move) => made.add(JSON.stringify(move)), goOn() {},
        status: { seats: view.players.map((player) => ({ player, kind: "bot" })), result: null, clocks: {}, settings: { ackSeconds: 30 } },
        name: (player) => (player === seat ? "you" : player),
      };
      const page = h("div", null, layout.table(scene), layout.hand(scene), view.players.map((player) => layout.seat(scene, player)), layout.sheet(scene));
      if (!layout.ask(scene) && !sent) throw new Error(`No question in ${view.phase}`);
      if (layout.text(scene).some((line) => /undefined|null|NaN/.test(line))) throw new Error(layout.text(scene).join(" "));
      for (const button of page.querySelectorAll("button")) {
        button.onkeydown?.(enter());
        button.click();
      }
    }
    return { made: [...made].map((move) => JSON.parse(move)), targets: met.size };
  });
}
