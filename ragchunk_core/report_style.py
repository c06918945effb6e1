"""The report's looks, and the script that draws its charts in the colours of the page."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6168; --paper: #ffffff; --line: #d5d9de; --best: #c9eadd;
  --grid: #e3e6ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a9b0b8; --paper: #14171a; --line: #3a4047;
  --best: #0e4a38; --grid: #2d3238; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
section { margin-top: 2rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: .4rem 1rem; margin: 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; }
.chart { width: 100%; min-height: 200px; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: start; color: var(--soft); font-size: .85rem; padding-bottom: .3rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: end; white-space: nowrap; }
th:first-child, .words { text-align: start; }
thead th { font-weight: 600; font-size: .85rem; }
tbody th { font-weight: 400; }
.best { background: var(--best); font-weight: 600; }
details { margin-top: .8rem; }
summary { cursor: pointer; }
li { margin: .4rem 0; overflow-wrap: anywhere; }
@media print { details > * { display: block; } .table { overflow: visible; } }
"""

DRAW = """
"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const themed = (layout) => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim(), grid = style.getPropertyValue("--grid").trim();
    const made = { ...layout, template: {}, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { ...layout.font, color: ink }, autosize: true };
    delete made.width;
    const names = Object.keys(layout).filter((name) => /^[xy]axis\\d*$/.test(name));
    for (const name of new Set(["xaxis", "yaxis", ...names]))
      made[name] = { ...layout[name], gridcolor: grid, zerolinecolor: grid, linecolor: grid };
    made.legend = { ...layout.legend, bgcolor: "rgba(0,0,0,0)" };
    made.modebar = { bgcolor: "rgba(0,0,0,0)", color: ink };
    return made;
  };
  // plotly.js offers to send a chart to its maker's service; here nothing leaves the file.
  const config = { responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "" };
  const draw = () => {
    for (const holder of document.querySelectorAll(".chart")) {
      const figure = JSON.parse(holder.nextElementSibling.textContent);
      Plotly.react(holder, figure.data, themed(figure.layout), config);
    }
  };
  dark.addEventListener("change", draw);
  draw();
})();
"""
