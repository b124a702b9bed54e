// Figures of what a search for weighted sets found.

import { LOAD_UNIT, around, bars, colour, fromZero, literal, shade, wrapped } from "./looks.js";

// What was found is full, what was known before open; none tells by its colour alone.
const FOUND_SYMBOLS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"];
const KNOWN_SYMBOLS = ["x-open", "star-open", "triangle-left-open"];
const MILLION = 1e6;
// Degraded networks have a hundred, which no figure has room for.
const MOST_SHAPES = 24;

function plusMinusHalf(half, digits) {
  return half === null ? "" : ` +- ${half.toFixed(digits)}`;
}

/** Saturation against latency on held-out patterns, a point for each set. */
export function front(search) {
  const line = search.judged.filter((one) => one.on_front).sort((one, other) => one.saturation - other.saturation);
  const found = search.judged.filter((one) => one.found);
  const known = search.judged.filter((one) => !one.found);
  const drawn = search.judged.filter((one) => one.latency !== null);
  const point = (one, symbol, tint) => ({
    name: wrapped(`${one.name}${one.chosen ? ", chosen" : ""}: ${one.label}`),
    x: one.latency === null ? [] : [one.latency],
    y: [one.saturation],
    error_x: bars([one.latency], [one.latency_half]),
    error_y: bars([one.saturation], [one.saturation_half]),
    mode: "markers",
    marker: {
      symbol, color: tint, size: one.chosen ? 14 : 11,
      line: { width: 2, color: one.chosen ? colour("text") : tint },
    },
    hovertemplate:
      `${literal(one.expression)}<br>%{y:.4f}${plusMinusHalf(one.saturation_half, 4)} ${LOAD_UNIT}<br>` +
      `%{x:.2f}${plusMinusHalf(one.latency_half, 2)} cycles<extra></extra>`,
  });
  return [
    [
      {
        x: line.map((one) => one.latency), y: line.map((one) => one.saturation), mode: "lines",
        line: { color: colour("min"), width: 1.5 }, hoverinfo: "skip", showlegend: false,
      },
      ...found.map((one, index) => point(one, FOUND_SYMBOLS[index % FOUND_SYMBOLS.length], colour("min"))),
      ...known.map((one, index) => point(one, KNOWN_SYMBOLS[index % KNOWN_SYMBOLS.length], shade(1 + (index % 3)))),
    ],
    {
      // Names are long: one a line, below the axis.
      legend: { orientation: "v", y: -0.24, yanchor: "top", x: 0, font: { size: 12 } },
      showlegend: true,
      xaxis: {
        title: { text: `latency at load ${search.loads[0]} (cycles)` },
        range: around(drawn.map((one) => one.latency), drawn.map((one) => one.latency_half)),
      },
      yaxis: {
        title: { text: `saturation (${LOAD_UNIT})` },
        range: around(drawn.map((one) => one.saturation), drawn.map((one) => one.saturation_half), 1),
      },
    },
  ];
}

/** Score of the best set so far against what the search simulated until then. */
export function anytime(search) {
  const end = Math.max(search.flit_hops, ...search.steps.map((step) => step.flit_hops)) / MILLION;
  const weights = [...new Set(search.steps.map((step) => step.latency_weight))].sort((one, other) => one - other);
  const traces = weights.map((weight, number) => {
    const steps = search.steps.filter((step) => step.latency_weight === weight);
    return {
      name: weights.length === 1 ? "best set so far" : `best where latency counts ${weight}`,
      // Before the first step the reference is the best.
      x: [0, ...steps.map((step) => step.flit_hops / MILLION), end],
      y: [0, ...steps.map((step) => step.score), steps.at(-1).score],
      text: [search.reference, ...steps.map((step) => step.expression), steps.at(-1).expression].map(literal),
      mode: "lines+markers",
      line: { shape: "hv", color: shade(number), dash: ["solid", "dash", "dot"][number % 3] },
      marker: { size: [0, ...steps.map(() => 8), 0], symbol: FOUND_SYMBOLS[number % FOUND_SYMBOLS.length] },
      hovertemplate: "%{text}<br>score %{y:.4f} after %{x:.1f} million flit-hops<extra></extra>",
    };
  });
  // Where no set was better the reference is the best to the end.
  if (!traces.length) traces.push({ name: wrapped(`no set was better than ${search.reference}`), x: [0, end], y: [0, 0], mode: "lines", line: { color: shade(0) } });
  const budget = search.budget / MILLION;
  const top = Math.max(0, ...search.steps.map((step) => step.score));
  return [
    traces,
    {
      showlegend: true,
      xaxis: { title: { text: "simulated (million flit-hops)" }, range: fromZero([end, budget]) },
      yaxis: { title: { text: "score of the best set so far" }, range: [-0.05 * top || -0.1, 1.08 * top || 0.1] },
      shapes: budget
        ? [{ type: "line", yref: "paper", y0: 0, y1: 1, x0: budget, x1: budget, line: { color: colour("text"), width: 1, dash: "dashdot" } }]
        : [],
      annotations: budget
        ? [{ x: budget, yref: "paper", y: 1, text: "budget", showarrow: false, xanchor: "left", yanchor: "top", xshift: 3 }]
        : [],
    },
  ];
}

/** Share of the detours by shape, of the chosen set and of the conventional one. */
export function shapes(search) {
  const reach = (one) => 100 * Math.max(one.share, one.conventional ?? 0);
  const least = search.shapes.map(reach).sort((a, b) => b - a)[MOST_SHAPES - 1] ?? 0;
  const rows = search.shapes.filter((one) => reach(one) >= least).slice(0, MOST_SHAPES).reverse();
  const conventional = search.judged.find((one) => one.name.includes("conventional"))?.label ?? "";
  const left = rows.length < search.shapes.length ? `<br>the ${rows.length} most frequent of ${search.shapes.length} shapes` : "";
  const known = rows.filter((one) => one.conventional !== null);
  const weighed = rows.filter((one) => one.weight !== null);
  return [
    [
      {
        name: "chosen set", type: "bar", orientation: "h",
        y: rows.map((one) => literal(one.shape)), x: rows.map((one) => 100 * one.share),
        marker: { color: colour("min") },
        hovertemplate: "%{y}: %{x:.1f}% of the detours<extra></extra>",
      },
      {
        mode: "text", y: weighed.map((one) => literal(one.shape)), x: weighed.map(reach), hoverinfo: "skip", showlegend: false,
        text: weighed.map((one) => `\u00a0weight ${Number(one.weight.toPrecision(6))}`), textposition: "middle right",
      },
      ...(known.length
        ? [
            {
              name: wrapped(`conventional UGAL: ${conventional}`), mode: "markers", y: known.map((one) => literal(one.shape)),
              x: known.map((one) => 100 * one.conventional),
              marker: { symbol: "line-ns-open", size: 13, color: colour("vlb"), line: { width: 3 } },
              hovertemplate: "%{y}, conventional: %{x:.1f}%<extra></extra>",
            },
          ]
        : []),
    ],
    {
      showlegend: true,
      rows: 1.2 * rows.length,
      xaxis: { title: { text: `share of the drawn detours (%)${left}` }, range: [0, 1.35 * Math.max(...rows.map(reach))] },
      yaxis: { type: "category", tickfont: { family: "ui-monospace, DejaVu Sans Mono, monospace", size: 11 }, dtick: 1 },
    },
  ];
}
