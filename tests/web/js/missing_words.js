// What the page says about a missing player, for each case: settings, clocks, who is here.
async (cases) => {
    const { missing } = await import("/static/table/missing.js");
    const seat = (player, isAway = false) => ({ player, kind: "person", bot: null, isAway });
    const now = Date.now();
    return cases.map(({ clock = null, due = {}, left = {}, acksDue = null, here = ["ana"], isAway = false, gone = {}, delay = 0, own = "ana" }) => {
        const at = (instants) => Object.fromEntries(Object.entries(instants).map(([player, ms]) => [player, now + ms]));
        const settings = { clock, ackSeconds: 30, delay };
        const status = { phase: "Playing", result: null, seats: [seat("ana"), seat("bo", isAway)], settings, clocks: at(due), left, acksDue: acksDue && now + acksDue };
        const state = { status, here, seat: own, goneSince: at(gone), cameAt: now - 5_000, skew: 0 };
        return (missing(state, (player) => player) ?? []).map((line) => line.textContent).join(" ");
    });
}
