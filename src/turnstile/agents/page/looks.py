"""How pages look: one style for the live page and the report, for light and for dark, for wide and for narrow."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --quiet: #667085; --line: #dfe3ea; --paper: #fbfbfd; --card: #fff;
  --accent: #2f5bd3; --good: #137a45; --bad: #b42318; --win: #dff3e6; --draw: #fff3d6; --loss: #fbe4e1; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaf0; --quiet: #98a2b3; --line: #323a48; --paper: #12161d;
  --card: #1a202a; --accent: #8fb0ff; --good: #6ed39c; --bad: #ff8f84; --win: #173d2a; --draw: #46391a;
  --loss: #47211f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.45;
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0; font-size: 1.6rem; } h1, bdi { overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .6rem; font-size: 1.15rem; }
header p { margin: .3rem 0; color: var(--quiet); } header strong { color: var(--ink); }
progress { width: 100%; height: .5rem; accent-color: var(--accent); }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .45rem .7rem; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; } th { font-size: .8rem; color: var(--quiet); font-weight: 600; }
.number { text-align: right; } .points { font-weight: 700; } small, .quiet { color: var(--quiet); }
.standings bdi { font-weight: 600; } .cross .number { text-align: center; min-width: 2.6rem; }
.p3 { background: var(--win); } .p1 { background: var(--draw); } .p0 { background: var(--loss); }
.self { color: var(--quiet); } .verdict { font-size: .85rem; }
p.verdict { font-size: 1rem; } .fair, .well { color: var(--good); } .unfair, .ill { color: var(--bad);
  font-weight: 700; } .unwitnessed, .unproven { color: var(--quiet); }
nav { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem; margin-top: 2rem; }
nav a { padding: .15rem .5rem; border: 1px solid var(--line); border-radius: .3rem; text-decoration: none; }
nav a[aria-current] { background: var(--accent); color: var(--paper); border-color: var(--accent); }
a { color: var(--accent); } code { font-size: .8rem; overflow-wrap: anywhere; }
details { margin-top: .6rem; } summary { cursor: pointer; color: var(--accent); }
dt { margin-top: .6rem; font-weight: 600; } dd { margin: 0; }
footer { margin-top: 3rem; color: var(--quiet); font-size: .85rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 12px; } svg .quiet { fill: var(--quiet); }
.wide > svg { min-width: 56rem; display: block; padding: .5rem; }
.who, .cross td:first-child, .stacked td { white-space: normal; min-width: 8rem; }
.stacked td:first-child, .matches td:nth-child(3), time { white-space: nowrap; min-width: 0; }
.matches td:nth-child(5) { min-width: 17rem; }
#lost { position: sticky; top: 0; z-index: 1; margin: 0; padding: .5rem 1rem; text-align: center;
  background: var(--loss); color: var(--bad); font-weight: 700; } #lost:empty { display: none; }
@media (max-width: 600px) { .spare { display: none; } th, td { padding: .4rem; } .who { min-width: 5rem; } }
@media (max-width: 800px) {
  .stacked thead { position: absolute; clip-path: inset(50%); }
  .stacked tr { display: grid; grid-template-columns: 1fr auto; gap: .15rem 1rem; padding: .5rem;
    border-bottom: 1px solid var(--line); } .stacked tr:last-child { border-bottom: 0; }
  .stacked td:nth-child(n) { padding: 0; border: 0; min-width: 0; } .matches td { grid-column: 1 / -1; }
  .stacked td:first-child { grid-area: 1 / 1; } .stacked td:nth-child(3) { grid-area: 1 / 2; text-align: right; }
  .agents td:nth-child(4)::before { content: "last heard: "; color: var(--quiet); }
  .agents td:nth-child(2), .agents td:nth-child(4) { grid-column: 1 / -1; } .stacked .spare { display: none; } }
svg .grid { stroke: var(--line); } svg polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
"""

LIGHT = ("#2f5bd3", "#c2314a", "#1f7a48", "#9a5a00", "#7a4fbf", "#0b7285", "#475467", "#b03a86")
DARK = ("#8fb0ff", "#ff8f9b", "#6ed39c", "#f0b35a", "#c3a3ff", "#5fd0e0", "#c3cad6", "#f29bd0")
"""For lines in pictures and the names beside them: told apart, and read, on white and on black."""


def _given(colours: tuple[str, ...]) -> str:
    return " ".join(f"--c{index}: {colour};" for index, colour in enumerate(colours))


STYLE += f"""
:root {{ {_given(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_given(DARK)} }} }}
"""
STYLE += "".join(
    f"polyline.c{index} {{ stroke: var(--c{index}); }} svg text.c{index} {{ fill: var(--c{index}); }}\n"
    for index in range(len(LIGHT))
)
