// Figures by Plotly in the colours of the page. Loads are packets/cycle/node, those of
// simulations in the unit of their router; latencies are cycles.

import * as found from "./report/found.js";

const drawn = new Map();
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const SCALE = [
  [0, "#f7fbff"],
  [0.25, "#b5d4e9"],
  [0.5, "#5ba3cf"],
  [0.75, "#1f6eb3"],
  [1, "#08306b"],
];

/** Return a colour of the style sheet. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function layout(more) {
  const text = colour("text");
  const axis = { gridcolor: colour("line"), zerolinecolor: colour("line"), linecolor: text, automargin: true };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: text, family: "system-ui, sans-serif", size: 13 },
    margin: { l: 60, r: 15, t: 10, b: 50 },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    hovermode: "closest",
    ...more,
    xaxis: { ...axis, ...more.xaxis },
    yaxis: { ...axis, ...more.yaxis },
  };
}

/** Draw a figure, and again when the colours of the page change; `make` returns [traces, layout]. */
export function plot(id, make) {
  const element = document.getElementById(id);
  const draw = () => {
    const [traces, more] = make();
    Plotly.react(element, traces, layout(more), { displaylogo: false, responsive: true });
  };
  drawn.set(id, draw);
  draw();
}

/** Draw everything again. */
export function redraw() {
  for (const draw of drawn.values()) draw();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
matchMedia("print").addEventListener("change", redraw);

/** Keep Plotly from reading a text as markup. */
function literal(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A path set's name, without the middle of a long one. */
function labelOf(data, expression) {
  return data.labels[expression] ?? expression;
}

function error(values) {
  return { type: "data", array: values.map((value) => value ?? 0), thickness: 1.5, color: colour("faint") };
}

/** The probe curve with the cut of the candidates. */
export function probe(data) {
  return [
    [
      {
        name: "data points",
        x: data.probe.map((point) => point.expression),
        y: data.probe.map((point) => point.theta_mean),
        error_y: error(data.probe.map((point) => point.theta_half)),
        mode: "lines+markers",
        marker: {
          symbol: data.probe.map((point) => (point.within_tolerance ? "circle" : "circle-open")),
          size: 8,
        },
        line: { color: colour("min") },
      },
      {
        name: "strategic choices",
        x: data.strategic.map((point) => point.expression),
        y: data.strategic.map((point) => point.theta_mean),
        error_y: error(data.strategic.map((point) => point.theta_half)),
        mode: "markers",
        marker: {
          symbol: data.strategic.map((point) => (point.within_tolerance ? "diamond" : "diamond-open")),
          size: 9,
          color: colour("vlb"),
        },
      },
    ],
    {
      xaxis: { title: { text: "VLB path set" }, tickangle: -60, tickfont: { size: 10 }, type: "category" },
      yaxis: { title: { text: "theta (flits/cycle/node)" } },
      shapes: [
        {
          type: "line", xref: "paper", x0: 0, x1: 1, y0: data.cut, y1: data.cut,
          line: { color: colour("text"), dash: "dash", width: 1.5 },
        },
      ],
      annotations: [
        {
          xref: "paper", x: 0.01, y: data.cut, text: `cut ${data.cut.toFixed(4)}`, showarrow: false,
          yanchor: "bottom", xanchor: "left",
        },
      ],
    },
  ];
}

/** Latency against load of one or several tables: [name, table data] pairs. */
export function curves(tables) {
  const colours = palette();
  const traces = tables.flatMap(([name, data], number) =>
    Object.entries(data.curves).map(([expression, points]) => {
      const conventional = expression !== data.chosen;
      const shown = points.filter((point) => point.latency_mean !== null);
      const single = tables.length === 1;
      return {
        name: `${name}${name ? ": " : ""}${found.wrapped(labelOf(data, expression), literal)}${conventional ? " (conventional)" : ""}`,
        x: shown.map((point) => point.load),
        y: shown.map((point) => point.latency_mean),
        error_y: error(shown.map((point) => point.latency_ci95)),
        mode: "lines+markers",
        line: {
          color: single ? colour(conventional ? "vlb" : "min") : colours[number % colours.length],
          dash: conventional ? "dash" : "solid",
        },
        marker: { symbol: SYMBOLS[number % SYMBOLS.length] + (conventional ? "-open" : ""), size: 8 },
      };
    }),
  );
  return [
    traces,
    { xaxis: { title: { text: "offered load" } }, yaxis: { title: { text: "latency (cycles)" } } },
  ];
}

function palette() {
  return [colour("min"), colour("vlb"), "#009e73", "#cc79a7", "#e69f00", colour("text"), "#56b4e9", "#999999"];
}

/** Saturation of the simulated sets with 95% intervals; the first is the conventional one. */
export function candidates(data) {
  const sets = [...data.simulated].reverse();
  const baseline = data.simulated[0].saturation_mean;
  return [
    [
      {
        x: sets.map((set) => set.saturation_mean),
        y: sets.map((set) => set.expression),
        error_x: error(sets.map((set) => set.half.saturation)),
        mode: "markers",
        marker: {
          size: 10,
          color: sets.map((set) => colour(set.expression === data.chosen ? "min" : "vlb")),
          symbol: sets.map(
            (set) => (set.expression === data.chosen ? "star" : "circle") + (set.confirmed ? "" : "-open"),
          ),
        },
        hovertemplate: "%{y}: %{x:.3f} ± %{error_x.array:.3f}<extra></extra>",
      },
      {
        x: sets.flatMap((set) => set.per_pattern.map((one) => one.saturation)),
        y: sets.flatMap((set) => set.per_pattern.map(() => set.expression)),
        text: sets.flatMap((set) => set.per_pattern.map((one) => one.pattern)),
        mode: "markers",
        marker: { size: 6, symbol: "line-ns-open", color: colour("faint") },
        hovertemplate: "%{text}: %{x:.3f}<extra></extra>",
      },
    ],
    {
      showlegend: false,
      xaxis: { title: { text: "saturation throughput" } },
      yaxis: {
        type: "category", tickvals: sets.map((set) => set.expression), tickfont: { size: 11 },
        ticktext: sets.map((set) => found.wrapped(labelOf(data, set.expression), literal)),
      },
      shapes: [
        {
          type: "line", yref: "paper", y0: 0, y1: 1, x0: baseline, x1: baseline,
          line: { color: colour("text"), dash: "dash", width: 1.5 },
        },
      ],
    },
  ];
}

/** Saturation of the chosen and the conventional set of several tables. */
export function gains(tables) {
  const chosen = tables.map(([, data]) => data.simulated.find((set) => set.expression === data.chosen));
  const baseline = tables.map(([, data]) => data.simulated[0]);
  const one = (name, sets, shown, symbol) => ({
    name,
    x: tables.map(([label]) => label),
    y: sets.map((set) => set.saturation_mean),
    text: sets.map((set) => literal(set.expression)),
    error_y: error(sets.map((set) => set.half.saturation)),
    mode: "markers",
    marker: { size: 11, color: colour(shown), symbol },
  });
  return [
    [one("chosen", chosen, "min", "circle"), one("conventional", baseline, "vlb", "square-open")],
    { xaxis: { type: "category", title: { text: "table" } }, yaxis: { title: { text: "saturation throughput" }, rangemode: "tozero" } },
  ];
}

/** Saturation against latency of what a search found, on held-out patterns. */
export function front(search) {
  return found.front(search, { colour, literal, error });
}

/** Score of the best set of a search against what was simulated until then. */
export function anytime(search) {
  return found.anytime(search, { colour, literal });
}

/** Share of the detours by shape, of the chosen set and of the conventional one. */
export function shapes(search) {
  return found.shapes(search, { colour });
}

/** Usage of the links by percentile, before and after balancing. */
export function percentiles(data) {
  const traces = [];
  for (const [number, kind] of Object.keys(data.balance).entries()) {
    for (const [when, dash] of [["before", "dot"], ["after", "solid"]]) {
      const values = data.balance[kind][when];
      traces.push({
        name: `${kind}, ${when}`,
        x: values.map((_, index) => index),
        y: values,
        mode: "lines+markers",
        line: { color: colour(number ? "vlb" : "min"), dash },
        // Markers here and there tell the kinds apart without their colours.
        marker: {
          symbol: number ? "diamond-open" : "circle",
          size: values.map((_, index) => (index % 20 === 10 ? 8 : 0)),
        },
      });
    }
  }
  return [
    traces,
    { xaxis: { title: { text: "percentile of the links in use" } }, yaxis: { title: { text: "usage / mean" } } },
  ];
}

function heat(z, x, y, x_title, y_title, hover) {
  return [
    [{ type: "heatmap", z, x, y, colorscale: SCALE, colorbar: { title: { text: "usage / mean" } }, hovertemplate: hover, hoverongaps: false }],
    {
      margin: { l: 60, r: 10, t: 10, b: 50 },
      xaxis: { title: { text: x_title }, constrain: "domain", showgrid: false },
      yaxis: { title: { text: y_title }, autorange: "reversed", showgrid: false },
    },
  ];
}

/** Busiest link from one group to another. */
export function globalHeat(links) {
  const groups = [...Array(links.groups).keys()];
  const z = groups.map(() => groups.map(() => null));
  for (let link = links.first_global_link; link < links.src.length; link++) {
    const from = Math.floor(links.src[link] / links.switches_per_group);
    const to = Math.floor(links.dst[link] / links.switches_per_group);
    z[from][to] = Math.max(z[from][to] ?? 0, links.usage[link]);
  }
  const one = links.switches_per_group > 1 ? "group" : "switch";
  return heat(z, groups, groups, `to ${one}`, `from ${one}`, `${one} %{y} to %{x}: %{z:.2f}<extra></extra>`);
}

/** Every link inside a group. */
export function localHeat(links) {
  const size = links.switches_per_group;
  const groups = [...Array(links.groups).keys()];
  const names = [];
  for (let from = 0; from < size; from++)
    for (let to = 0; to < size; to++) if (from !== to) names.push(`${from}→${to}`);
  const z = groups.map(() => names.map(() => null));
  for (let link = 0; link < links.first_global_link; link++) {
    const from = links.src[link] % size;
    const to = links.dst[link] % size;
    z[Math.floor(links.src[link] / size)][from * (size - 1) + to - (to > from)] = links.usage[link];
  }
  return heat(z, names, groups, "link in the group", "group", "group %{y}, %{x}: %{z:.2f}<extra></extra>");
}

/** Accepted throughput by switch of several runs: [name, by_switch] pairs. */
export function switches(runs) {
  const colours = palette();
  return [
    runs.map(([name, values], number) => ({
      name,
      y: values,
      mode: "lines+markers",
      line: { shape: "hvh", color: colours[number % colours.length], width: 1 },
      marker: { size: 5, symbol: SYMBOLS[number % SYMBOLS.length] },
      hovertemplate: "switch %{x}: %{y:.4f}<extra></extra>",
    })),
    {
      xaxis: { title: { text: "switch" } },
      yaxis: { title: { text: "accepted (packets/cycle/node)" }, rangemode: "tozero" },
    },
  ];
}

/** Accepted load over time of the cases of a study of stability: mean, and a band of their runs. */
export function bands(cases) {
  const colours = palette();
  const traces = cases.flatMap((one, number) => {
    const look = { x: one.cycles, mode: "lines", legendgroup: number, line: { color: colours[number % colours.length], width: 0 }, hoverinfo: "skip", showlegend: false };
    return [
      { ...look, y: one.lowest },
      { ...look, y: one.highest, fill: "tonexty" },
      {
        ...look,
        name: one.label,
        y: one.mean,
        line: { ...look.line, width: 1.5, dash: DASHES[number % DASHES.length] },
        showlegend: true,
        hoverinfo: "all",
        hovertemplate: "cycle %{x}: %{y:.3f}",
      },
    ];
  });
  return [
    traces,
    {
      xaxis: { title: { text: "cycle" } },
      yaxis: { title: { text: "accepted (phits/cycle/node)" }, rangemode: "tozero" },
    },
  ];
}

/** Mean latency by load of a simulation. */
export function loads(data) {
  const steady = data.rows.filter((row) => !row.saturated && row.latency_mean !== null);
  const saturated = data.rows.filter((row) => row.saturated && row.latency_mean !== null);
  return [
    [
      {
        name: data.routing,
        x: steady.map((row) => row.load),
        y: steady.map((row) => row.latency_mean),
        error_y: error(steady.map((row) => row.latency_ci95)),
        mode: "lines+markers",
        line: { color: colour("min") },
      },
      {
        name: "saturated",
        x: saturated.map((row) => row.load),
        y: saturated.map((row) => row.latency_mean),
        mode: "markers",
        marker: { symbol: "x", size: 9, color: colour("vlb") },
      },
    ],
    {
      showlegend: saturated.length > 0,
      xaxis: { title: { text: `offered load (${data.load_unit})` } },
      yaxis: { title: { text: "latency (cycles)" } },
    },
  ];
}

/** Accepted by offered load of a simulation. */
export function accepted(data) {
  return [
    [
      {
        x: data.rows.map((row) => row.load),
        y: data.rows.map((row) => row.accepted),
        error_y: error(data.rows.map((row) => row.accepted_ci95)),
        mode: "lines+markers",
        line: { color: colour("min") },
      },
    ],
    {
      xaxis: { title: { text: `offered load (${data.load_unit})` } },
      yaxis: { title: { text: `accepted (${data.load_unit})` }, rangemode: "tozero" },
    },
  ];
}
