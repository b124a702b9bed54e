// The figures of reports and of the pages of the service, each declared once in FIGURES: what it is called, and a
// function from its data to traces and layout. Loads are packets/cycle/node, those of simulations in the unit of
// their router; latencies are cycles.

import { anytime, front, shapes } from "./found.js";
import { DASHES, LOAD_UNIT, around, bars, colour, fromZero, literal, shade, symbol, wrapped } from "./looks.js";

const SCALE = [
  [0, "#f7fbff"],
  [0.25, "#b5d4e9"],
  [0.5, "#5ba3cf"],
  [0.75, "#1f6eb3"],
  [1, "#08306b"],
];
const MOST_TICKS = 10;
// Lines of labels at the side.
const WRAPPED = 28;

function atLine(which, value) {
  const ends = which === "x" ? { yref: "paper", y0: 0, y1: 1, x0: value, x1: value } : { xref: "paper", x0: 0, x1: 1, y0: value, y1: value };
  return { type: "line", ...ends, line: { color: colour("text"), dash: "dash", width: 1.5 } };
}

/** The probe curve with the cut of the candidates. */
function probe({ probe, strategic, cut }) {
  const trace = (name, members, mode, shape, shown) => ({
    name, mode, x: members.map((one) => literal(one.expression)), y: members.map((one) => one.theta_mean),
    error_y: bars(members.map((one) => one.theta_mean), members.map((one) => one.theta_half)),
    marker: { symbol: members.map((one) => (one.within_tolerance ? shape : `${shape}-open`)), size: 8, color: colour(shown), line: { width: 1.5 } },
    line: { color: colour(shown), width: 1 },
  });
  const means = [...probe, ...strategic].map((one) => one.theta_mean);
  const halves = [...probe, ...strategic].map((one) => one.theta_half);
  return [
    [
      trace("data points", probe, "lines+markers", "circle", "min"),
      trace("strategic choices", strategic, "markers", "diamond", "vlb"),
      // For the legend alone: the line goes from side to side, and a label on it would lie on points.
      { name: `cut ${cut.toFixed(4)}`, x: [null], y: [null], mode: "lines", line: { color: colour("text"), dash: "dash", width: 1.5 } },
    ],
    {
      showlegend: true,
      xaxis: { title: { text: "VLB path set" }, tickangle: -60, tickfont: { size: 10 }, type: "category" },
      yaxis: { title: { text: `theta (${LOAD_UNIT})` }, range: around([...means, cut], halves, 1) },
      shapes: [atLine("y", cut)],
    },
  ];
}

function loadAxis(loads, unit = LOAD_UNIT) {
  return { title: { text: `offered load (${unit})` }, range: fromZero(loads, [], 1) };
}

function latencyAxis(points) {
  return { title: { text: "latency (cycles)" }, range: fromZero(points.map((one) => one.latency_mean), points.map((one) => one.latency_ci95)) };
}

/**
 * Latency against load of path sets: [{name, conventional, number, points}]. The number is that of the table; lines end
 * where the first pattern is saturated, as means over the others are of less: these are open.
 */
function latency(curves) {
  const shown = curves.map((one) => ({ ...one, points: one.points.filter((point) => point.latency_mean !== null) }));
  const several = new Set(curves.map((one) => one.number)).size > 1;
  const traces = shown.flatMap(({ name, conventional, number, points }) => {
    const tint = several ? shade(number) : colour(conventional ? "vlb" : "min");
    const shape = symbol(several ? number : conventional ? 1 : 0);
    const trace = (members, more) => ({
      name: wrapped(name), legendgroup: name, x: members.map((one) => one.load), y: members.map((one) => one.latency_mean),
      error_y: bars(members.map((one) => one.latency_mean), members.map((one) => one.latency_ci95)),
      line: { color: tint, dash: conventional ? "dash" : "solid" },
      ...more,
    });
    const partly = points.filter((one) => one.saturated_patterns);
    const whole = points.filter((one) => !one.saturated_patterns);
    return [
      trace(whole, { mode: "lines+markers", marker: { symbol: shape, size: 8, color: tint } }),
      trace(partly, {
        mode: "markers", showlegend: whole.length === 0, marker: { symbol: `${shape}-open`, size: 8, color: tint },
        text: partly.map((one) => `${one.saturated_patterns} patterns saturated: mean over the others`),
      }),
    ];
  });
  const points = shown.flatMap((one) => one.points);
  return [traces, { showlegend: true, xaxis: loadAxis(points.map((one) => one.load)), yaxis: latencyAxis(points) }];
}

/** Saturation of the simulated sets with 95% intervals; the first is the conventional one. */
function candidates({ simulated, chosen }) {
  const sets = [...simulated].reverse();
  const places = [...sets.keys()];
  const means = sets.map((set) => set.saturation_mean);
  const halves = sets.map((set) => set.half.saturation);
  const single = sets.flatMap((set, place) => (set.per_pattern ?? []).map((one) => [place, one]));
  const labels = sets.map((set) => wrapped(set.label ?? set.expression, WRAPPED));
  return [
    [
      {
        x: means, y: places, text: sets.map((set) => literal(set.expression)), error_x: bars(means, halves), mode: "markers",
        marker: {
          size: 10, line: { width: 1.5 },
          color: sets.map((set) => colour(set.expression === chosen ? "min" : "vlb")),
          symbol: sets.map((set) => (set.expression === chosen ? "star" : "circle") + (set.confirmed ? "" : "-open")),
        },
        hovertemplate: "%{text}: %{x:.4f} +- %{error_x.array:.4f}<extra></extra>",
      },
      {
        x: single.map(([, one]) => one.saturation), y: single.map(([place]) => place), text: single.map(([, one]) => literal(one.pattern)),
        mode: "markers", marker: { size: 6, symbol: "line-ns-open", color: colour("faint") },
        hovertemplate: "%{text}: %{x:.3f}<extra></extra>",
      },
    ],
    {
      showlegend: false,
      rows: labels.reduce((sum, label) => sum + label.split("<br>").length + 0.3, 0),
      xaxis: { title: { text: `saturation (${LOAD_UNIT})` }, range: around([...means, ...single.map(([, one]) => one.saturation)], halves, 1) },
      yaxis: { tickvals: places, ticktext: labels, tickfont: { size: 11 }, range: [-0.6, sets.length - 0.4] },
      shapes: [atLine("x", simulated[0].saturation_mean)],
    },
  ];
}

/** Saturation of the chosen and the conventional set of several tables: [name, table data] pairs. */
function saturations(tables) {
  const chosen = tables.map(([, data]) => data.simulated.find((set) => set.expression === data.chosen));
  const baseline = tables.map(([, data]) => data.simulated[0]);
  const one = (name, sets, shown, shape) => ({
    name,
    x: tables.map(([label]) => literal(label)),
    y: sets.map((set) => set.saturation_mean),
    text: sets.map((set) => literal(set.expression)),
    error_y: bars(sets.map((set) => set.saturation_mean), sets.map((set) => set.half.saturation)),
    mode: "markers",
    marker: { size: 11, color: colour(shown), symbol: shape },
  });
  const every = [...chosen, ...baseline];
  return [
    [one("chosen", chosen, "min", "circle"), one("conventional", baseline, "vlb", "square-open")],
    {
      showlegend: true,
      xaxis: { type: "category", title: { text: "table" } },
      yaxis: { title: { text: `saturation (${LOAD_UNIT})` }, range: fromZero(every.map((set) => set.saturation_mean), every.map((set) => set.half.saturation), 1) },
    },
  ];
}

/** Usage of the links by percentile, before and after balancing: [{kind, before, after}]. */
function usage(kinds) {
  const traces = kinds.flatMap(({ kind, before, after }, number) =>
    [["before", before, "dot"], ["after", after, "solid"]].map(([when, values, dash]) => ({
      name: `${kind}, ${when}`, mode: "lines+markers", x: values.map((_, index) => index), y: values,
      line: { color: shade(number), dash },
      // Markers here and there tell the kinds apart without their colours.
      marker: { symbol: number ? `${symbol(number)}-open` : symbol(0), size: values.map((_, index) => (index % 20 === 10 ? 8 : 0)) },
    })),
  );
  return [
    traces,
    {
      showlegend: true,
      xaxis: { title: { text: "percentile of the links in use" }, range: [0, 100] },
      yaxis: { title: { text: "usage / mean" }, range: fromZero(traces.flatMap((trace) => trace.y)) },
    },
  ];
}

/** An axis of numbered things, which have no halves. */
function numbered(title, count) {
  return { title: { text: title }, tick0: 0, dtick: Math.max(1, Math.ceil(count / MOST_TICKS)), showgrid: false };
}

function heat(z, x, y, x_title, y_title, hover) {
  // Usages that differ in the last bits are equal.
  const rounded = z.map((row) => row.map((value) => (value === null ? null : Number(value.toPrecision(6)))));
  const known = rounded.flat().filter((value) => value !== null);
  return [
    [{ type: "heatmap", z: rounded, x, y, zmin: Math.min(0.9, ...known), zmax: Math.max(1.1, ...known), colorscale: SCALE, colorbar: { title: { text: "usage / mean" } }, hovertemplate: hover, hoverongaps: false }],
    {
      margin: { l: 60, r: 10, t: 10, b: 50 },
      xaxis: { constrain: "domain", ...(typeof x[0] === "number" ? numbered(x_title, x.length) : { title: { text: x_title }, showgrid: false }) },
      yaxis: { autorange: "reversed", ...numbered(y_title, y.length) },
    },
  ];
}

/** Busiest link from one group to another; of networks without links in groups from one switch to another. */
function globalHeat(links) {
  const size = links.first_global_link > 0 ? links.switches_per_group : 1;
  const groups = [...Array((links.groups * links.switches_per_group) / size).keys()];
  const z = groups.map(() => groups.map(() => null));
  for (let link = links.first_global_link; link < links.src.length; link++) {
    const from = Math.floor(links.src[link] / size);
    const to = Math.floor(links.dst[link] / size);
    z[from][to] = Math.max(z[from][to] ?? 0, links.usage[link]);
  }
  const one = size > 1 ? "group" : "switch";
  return heat(z, groups, groups, `to ${one}`, `from ${one}`, `${one} %{y} to %{x}: %{z:.2f}<extra></extra>`);
}

/** Every link inside a group. */
function localHeat(links) {
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
function switches(runs) {
  return [
    runs.map(([name, values], number) => ({
      name: wrapped(name),
      x: values.map((_, index) => index),
      y: values,
      mode: "lines+markers",
      line: { shape: "hvh", color: shade(number), width: 1 },
      marker: { size: 5, symbol: symbol(number) },
      hovertemplate: "switch %{x}: %{y:.4f}<extra></extra>",
    })),
    {
      showlegend: runs.length <= 12,
      xaxis: { title: { text: "switch" } },
      yaxis: { title: { text: `accepted (${LOAD_UNIT})` }, range: fromZero(runs.flatMap(([, values]) => values)) },
    },
  ];
}

/** Accepted load over time of the cases of a study of stability: mean, and a band of their runs. */
function bands(cases) {
  const traces = cases.flatMap((one, number) => {
    const look = { x: one.cycles, mode: "lines", legendgroup: number, line: { color: shade(number), width: 0 }, hoverinfo: "skip", showlegend: false };
    return [
      { ...look, y: one.lowest },
      { ...look, y: one.highest, fill: "tonexty" },
      {
        ...look,
        name: wrapped(one.label),
        y: one.mean,
        // One value is a point, which no line has.
        mode: one.mean.length === 1 ? "markers" : "lines",
        line: { ...look.line, width: 1.5, dash: DASHES[number % DASHES.length] },
        marker: { color: shade(number), symbol: symbol(number) },
        showlegend: true,
        hoverinfo: "all",
        hovertemplate: "cycle %{x}: %{y:.3f}",
      },
    ];
  });
  return [
    traces,
    {
      showlegend: true,
      xaxis: { title: { text: "cycle" }, rangemode: "tozero" },
      yaxis: { title: { text: "accepted (phits/cycle/node)" }, range: fromZero(cases.flatMap((one) => one.highest)) },
    },
  ];
}

/** The line where the offered load changes, if it does, as [traces of the legend, shapes]. */
function stepOf(step) {
  if (!step) return [[], []];
  const line = { color: colour("text"), dash: "dot", width: 1.5 };
  return [[{ name: `load becomes ${step.load}`, x: [null], y: [null], mode: "lines", line }], [{ ...atLine("x", step.cycle), line }]];
}

/** The course of simulated loads, and where the offered load changes: {bands, axis, along, step}. */
function course({ bands: cases, axis, along, step }) {
  const [traces, layout] = bands(cases);
  const [mark, shapes] = stepOf(step);
  const xaxis = along === "cycle" ? layout.xaxis : { title: { text: along } };
  for (const trace of traces) if (trace.hovertemplate) trace.hovertemplate = `${along} %{x}: %{y:.3f}`;
  return [[...traces, ...mark], { ...layout, xaxis, yaxis: { ...layout.yaxis, title: { text: axis } }, shapes }];
}

/** Levels of switches over time, and where the offered load changes. */
function levels({ bands: switches, step }) {
  const z = switches.map((one) => one.mean);
  const [mark, shapes] = stepOf(step);
  const look = { colorscale: SCALE, colorbar: { title: { text: "level" } }, hovertemplate: "switch %{y}, cycle %{x}: %{z:.2f}<extra></extra>" };
  return [
    [{ type: "heatmap", z, x: switches[0].cycles, y: switches.map((one) => Number(one.label)), zmin: 1, zmax: Math.max(2, ...z.flat()), ...look }, ...mark],
    { showlegend: mark.length > 0, xaxis: { title: { text: "cycle" } }, yaxis: numbered("switch", switches.length), shapes },
  ];
}

/** Mean latency by load of a simulation. */
function loads({ rows, routing, load_unit: unit }) {
  const known = rows.filter((row) => row.latency_mean !== null);
  const trace = (name, members, more) => ({
    name, x: members.map((row) => row.load), y: members.map((row) => row.latency_mean), ...more,
  });
  const [steady, saturated] = [false, true].map((is) => known.filter((row) => Boolean(row.saturated) === is));
  return [
    [
      trace(literal(routing), steady, {
        error_y: bars(steady.map((row) => row.latency_mean), steady.map((row) => row.latency_ci95)),
        mode: "lines+markers", line: { color: colour("min") },
      }),
      trace("saturated", saturated, { mode: "markers", marker: { symbol: "x", size: 9, color: colour("vlb") } }),
    ],
    { showlegend: true, xaxis: loadAxis(rows.map((row) => row.load), unit), yaxis: latencyAxis(known) },
  ];
}

/** Accepted by offered load of a simulation. */
function accepted({ rows, load_unit: unit }) {
  const means = rows.map((row) => row.accepted);
  const halves = rows.map((row) => row.accepted_ci95);
  return [
    [{ x: rows.map((row) => row.load), y: means, error_y: bars(means, halves), mode: "lines+markers", line: { color: colour("min") } }],
    {
      showlegend: false,
      xaxis: loadAxis(rows.map((row) => row.load), unit),
      yaxis: { title: { text: `accepted (${unit})` }, range: fromZero(means, halves) },
    },
  ];
}

/** Percentiles of something by what they are of, with lines at values that are known. */
function spread({ curves, marks, of, value, most }) {
  const every = [...curves.flatMap((one) => one.values), ...marks.map((one) => one.value)];
  return [
    [
      ...curves.map(({ name, values }, number) => ({
        name: wrapped(name), mode: "lines", x: values.map((_, index) => index), y: values,
        line: { color: shade(number), dash: DASHES[number % DASHES.length] },
      })),
      ...marks.map(({ name, value: height }) => ({
        name: wrapped(name), mode: "lines", x: [0, 100], y: [height, height], line: { color: colour("vlb"), dash: "dash" },
      })),
    ],
    {
      showlegend: true,
      xaxis: { title: { text: `percentile of the ${of}` }, range: [0, 100] },
      yaxis: { title: { text: value }, range: fromZero(every, [], most ?? Infinity) },
    },
  ];
}

export const FIGURES = {
  probe, latency, candidates, saturations, usage, front, anytime, shapes, switches, bands, course, levels, loads, accepted, spread,
  "global-heat": globalHeat, "local-heat": localHeat,
};
