/** The style of the benchmark page, light and dark. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; --muted: light-dark(#57606a, #9da7b3); --good: light-dark(#116329, #57d364); --bad: light-dark(#a40e26, #ff8182); --other: light-dark(#7d4e00, #e3b341); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1500px; padding: 1rem 1.5rem 4rem; }
header p, small { color: var(--muted); }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.15rem; }
h3 { margin: .8rem 0 .1rem; font-size: .85rem; color: var(--muted); }
.headline strong { font-size: 2.2rem; line-height: 1; margin-right: .6rem; }
.headline { margin: .3rem 0; }
.banner { border-left: 4px solid var(--other); padding: .2rem .8rem; }
.bar { width: min(400px, 100%); height: 14px; display: block; }
.bar .track { fill: #8883; } .bar .rate { fill: #2da44e; } .bar .interval { fill: CanvasText; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
.attempts { width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .7rem .4rem 0; text-align: left; vertical-align: top; }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.why { max-width: 28rem; overflow-wrap: anywhere; }
.outcome, .item { border: 1px solid currentColor; border-radius: 3px; padding: 0 .4em; font-size: .85rem; white-space: nowrap; color: var(--other); }
.passed, .pass { color: var(--good); } .failed, .invalid, .fail { color: var(--bad); }
tr.attempt td { border-bottom: 0; padding-bottom: 0; }
details > summary { color: var(--muted); cursor: pointer; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60rem; margin: 0; }
ul { padding-left: 1.1rem; margin: .2rem 0; }
`;
