// Figures by Plotly in the colours of the page.

const drawn = new Map();
const ARRANGEMENTS = ["absolute", "palmtree", "relative", "circulant", "consecutive"];
const COLOURS = ["min", "vlb", "third", "fourth", "fifth"];
const ROUTINGS = ["ugal-l", "ugal-g", "par"];
// By arrangement and routing, so that colours tell nothing that shapes do not.
const SYMBOLS = [
  ["circle", "square", "diamond"],
  ["triangle-up", "triangle-down", "pentagon"],
  ["cross", "x", "star"],
  ["hexagon", "hourglass", "star-triangle-up"],
  ["bowtie", "star-square", "star-diamond"],
];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Keep Plotly from reading a text as markup. */
function literal(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function layout(more) {
  const text = colour("text");
  const axis = {
    gridcolor: colour("line"), zerolinecolor: colour("faint"), linecolor: text, automargin: true,
    title: { standoff: 10 },
  };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: text, family: "system-ui, sans-serif", size: 13 },
    margin: { l: 60, r: 15, t: 10, b: 50 },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, maxheight: 500 },
    hovermode: "closest",
    hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: text } },
    ...more,
    xaxis: { ...axis, ...more.xaxis },
    yaxis: { ...axis, ...more.yaxis },
  };
}

/** Draw a figure; `make` returns traces and layout, and gets the width and height of the place. */
function show(place, make) {
  let [traces, more] = make(place.clientWidth, place.clientHeight);
  if (more.showlegend) {
    const before = place.clientHeight;
    roomForLegend(place, legendRows(traces, place.clientWidth));
    if (place.clientHeight !== before) [traces, more] = make(place.clientWidth, place.clientHeight);
  }
  const size = { width: place.clientWidth, height: place.clientHeight };
  Plotly.react(place, traces, layout({ ...more, ...size }), { displaylogo: false });
  if (drawn.has(place)) return;
  drawn.set(place, make);
  place.on("plotly_click", (event) => {
    const target = event.points[0]?.customdata;
    if (target) location.hash = target;
  });
}

function redraw() {
  for (const [place, make] of drawn) if (place.offsetParent !== null) show(place, make);
}

/** Forget the figures in a part of the page that is going to be removed. */
function forget(part) {
  for (const place of [...drawn.keys()]) {
    if (!part.contains(place)) continue;
    Plotly.purge(place);
    drawn.delete(place);
  }
  for (const place of [...waiting.keys()]) {
    if (part.contains(place)) waiting.delete(place);
  }
}

function errors(values) {
  return { type: "data", array: values.map((value) => value ?? 0), thickness: values.length > 60 ? 0.6 : 1.2, width: values.length > 60 ? 0 : 3, color: colour("faint") };
}

/** Move points with equal values apart; values are on a linear scale. */
function sideBySide(values) {
  const distinct = [...new Set(values)].sort((x, y) => x - y);
  const span = distinct.at(-1) - distinct[0] || 1;
  const gaps = distinct.slice(1).map((value, index) => value - distinct[index]);
  const room = Math.min(Math.max(0.6 * Math.min(span, ...gaps), 0.025 * span), 0.12 * span);
  const members = new Map(distinct.map((value) => [value, values.filter((one) => one === value).length]));
  const placed = new Map();
  return values.map((value) => {
    const all = members.get(value);
    const before = placed.get(value) ?? 0;
    placed.set(value, before + 1);
    return value + (before - (all - 1) / 2) * Math.min(0.02 * span, room / all);
  });
}

/** Frame of means: intervals may leave it where they are much longer than what is to be seen. */
function frame(means, halves) {
  const lowest = Math.min(0, ...means);
  const highest = Math.max(0, ...means);
  const longest = Math.max(0, ...halves.filter((half) => half !== null));
  const span = highest - lowest;
  const shown = means.length > 3 && span > 0 ? Math.min(longest, 1.5 * span) : longest;
  const room = Math.max(0.1 * span, shown) || 0.01;
  return [lowest - 1.1 * room, highest + 1.1 * room];
}

/** Ticks at the values of a logarithmic axis, as many as have room. */
function ticks(values, width) {
  const distinct = [...new Set(values)].sort((x, y) => x - y);
  const span = Math.log(distinct.at(-1) / distinct[0]) || 1;
  const room = (46 / Math.max(width - 90, 100)) * span * 1.2;
  const shown = [];
  for (const value of distinct) {
    if (!shown.length || Math.log(value / shown.at(-1)) >= room) shown.push(value);
  }
  return { tickvals: shown.map(Math.log10), ticktext: shown.map((value) => `${Number(value.toPrecision(4))}`) };
}

/** Rows that Plotly will need for the legend of traces: its columns are as wide as the longest name. */
function legendRows(traces, width) {
  const names = traces.filter((trace) => trace.showlegend !== false).map((trace) => trace.name);
  const column = 45 + 7 * Math.max(0, ...names.map((name) => name.length));
  return Math.ceil(names.length / Math.max(1, Math.floor((width - 75) / column)));
}

/** Make room for a legend of so many rows. */
function roomForLegend(place, rows) {
  const tall = place.classList.contains("tall") || place.dataset.plot?.startsWith("cost-");
  place.style.height = `calc(${tall ? 24 : 18}rem + ${22 * rows}px)`;
}

/** Symbol and colour of the arrangement and routing of a point. */
function mark(point) {
  const arrangement = ARRANGEMENTS.indexOf(point.arrangement);
  return { symbol: SYMBOLS.at(arrangement)[ROUTINGS.indexOf(point.routing)], shown: COLOURS.at(arrangement) };
}

/** Measured change by the T-VLB set against conventional UGAL, over a figure of the network. */
function gains(figure, size, title, yTitle) {
  return (width) => {
    const known = computed.filter((point) => point[figure] !== null);
    const places = sideBySide(known.map((point) => Math.log10(point[size])));
    const halves = known.map((point) => halfOf(point, figure));
    const traces = [];
    known.forEach((point, index) => {
      const series = seriesName(point);
      const name = `${series}/${point.replaces_all}`;
      let trace = traces.find((one) => one.uid === name);
      if (!trace) {
        const { symbol, shown } = mark(point);
        trace = {
          uid: name, name: series, legendgroup: series, mode: "markers",
          x: [], y: [], text: [], customdata: [], halves: [],
          marker: { color: colour(shown), symbol: point.replaces_all ? symbol : `${symbol}-open`, size: known.length > 60 ? 6 : 9, line: { width: known.length > 60 ? 0.7 : 1.5 } },
          hovertemplate: "%{text}<extra></extra>",
        };
        traces.push(trace);
      }
      trace.x.push(places[index]);
      trace.y.push(100 * point[figure]);
      trace.halves.push(halves[index] === null ? null : 100 * halves[index]);
      trace.customdata.push(pageLink(point));
      trace.text.push(
        `${literal(point.topology)}<br>${literal(pointName(point))}<br>` +
          `${point.replaces_all ? "chosen" : "best candidate, conventional set kept"}: ${literal(point.tvlb)}<br>` +
          withInterval(point, figure),
      );
    });
    // Full symbols before open ones, so that the legend shows them where there are any.
    traces.sort((one, other) => one.name.localeCompare(other.name, "en") || (one.uid < other.uid ? 1 : -1));
    for (const [index, trace] of traces.entries()) {
      trace.showlegend = index === 0 || traces[index - 1].legendgroup !== trace.legendgroup;
      trace.error_y = errors(trace.halves);
      delete trace.halves;
      delete trace.uid;
    }
    const margin = known.length && Math.max(...places) - Math.min(...places) < 1e-9 ? 0.3 : 0.06 * (Math.max(...places) - Math.min(...places));
    return [
      traces,
      {
        showlegend: true,
        xaxis: {
          title: { text: title, standoff: 10 }, zeroline: false,
          range: [Math.min(...places) - margin, Math.max(...places) + margin],
          ...(known.length ? ticks(known.map((point) => point[size]), width) : {}),
        },
        yaxis: {
          title: { text: yTitle, standoff: 10 }, tickformat: "+.3~g", ticksuffix: " %", zerolinewidth: 2,
          range: frame(known.map((point) => point[figure]), halves).map((end) => 100 * end),
        },
        ...empty(known),
      },
    ];
  };
}

function empty(known) {
  if (known.length) return {};
  return {
    annotations: [{ text: "no point has this figure", showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5 }],
  };
}

/** Saturation throughput of the chosen and the conventional set against a cost. */
function costs(cost, title) {
  return (width, height) => {
    const known = computed.filter((point) => point.saturation_chosen !== null);
    const front = data.fronts[cost];
    const x = sideBySide(known.map((point) => point[cost]));
    const ordered = front.map((number) => known.findIndex((point) => point.point === number));
    const [lowest, highest] = [Math.min, Math.max].map((end) => end(...known.flatMap((point) => [point.saturation_chosen, point.saturation_all])));
    const rise = Math.max(highest - lowest, 0.1 * highest, 0.01);
    const span = Math.max(...x) - Math.min(...x) || Math.max(...x);
    const ranges = { x: [Math.min(...x) - 0.08 * span, Math.max(...x) + 0.16 * span], y: [Math.max(0, lowest - 0.15 * rise), highest + 0.18 * rise] };
    const traces = [
      joins(known, x),
      ...(front.length ? [steps(rising(ordered.map((index) => [x[index], known[index].saturation_chosen])), ranges.x[1])] : []),
      ...seriesOf(known).flatMap((name) => [costSeries(known, x, cost, name, "all"), costSeries(known, x, cost, name, "chosen")]),
      { name: "not shown to be beaten", mode: "markers", x: ordered.map((index) => x[index]), y: ordered.map((index) => known[index].saturation_chosen), marker: { color: colour("text"), symbol: "circle-open", size: 18, line: { width: 1.5 } }, hoverinfo: "skip" },
    ];
    const top = 15 + 20 * legendRows(traces, width);
    return [
      traces,
      {
        showlegend: true,
        margin: { l: 60, r: 15, t: top, b: 55 },
        xaxis: { title: { text: title, standoff: 10 }, range: ranges.x, automargin: false, zeroline: false },
        yaxis: { title: { text: "packets/cycle/node", standoff: 10 }, range: ranges.y, automargin: false },
        annotations: labels(known, x, front, ranges, width - 75, height - top - 55),
      },
    ];
  };
}

function seriesOf(known) {
  return [...new Set(known.map(seriesName))].sort((one, other) => one.localeCompare(other, "en"));
}

/** Thin lines between the chosen and the conventional set of each point. */
function joins(known, x) {
  const ends = known.flatMap((point, index) => [[x[index], point.saturation_all], [x[index], point.saturation_chosen], [null, null]]);
  return { mode: "lines", x: ends.map(([one]) => one), y: ends.map(([, one]) => one), line: { color: colour("faint"), width: 1 }, hoverinfo: "skip", showlegend: false };
}

/** Those of the corners, cheapest first, whose mean is above all before. */
function rising(corners) {
  return corners.filter(([, mean], index) => corners.slice(0, index).every(([, before]) => before < mean));
}

/** The largest means, cheapest first: up to the cost of the next point there is no more to be had. */
function steps(corners, end) {
  const all = [...corners, [end, corners.at(-1)[1]]];
  return { name: "largest means", mode: "lines", x: all.map(([one]) => one), y: all.map(([, one]) => one), line: { color: colour("text"), dash: "dot", width: 1.5, shape: "hv" }, hoverinfo: "skip", showlegend: false };
}

/** Points of one arrangement and routing: the chosen sets full, the conventional ones open. */
function costSeries(known, x, cost, name, which) {
  const members = [...known.keys()].filter((index) => seriesName(known[index]) === name && (which === "all" || known[index].replaces_all));
  const { symbol, shown } = mark(known.find((point) => seriesName(point) === name));
  const of = members.map((index) => known[index]);
  const set = (point) => (which === "all" ? `all, conventional${point.replaces_all ? "" : ", kept"}` : literal(point.chosen));
  return {
    name: `${name}, ${which === "all" ? "conventional" : "chosen"}`, mode: "markers",
    x: members.map((index) => x[index]), y: of.map((point) => point[`saturation_${which}`]),
    error_y: errors(of.map((point) => halfOf(point, `saturation_${which}`))),
    customdata: of.map(pageLink),
    hovertemplate: of.map((point) => `${literal(point.topology)}, ${set(point)}<br>${literal(pointName(point))}<br>radix ${point.radix}, ${count(point.nodes)} nodes<br>${figures(point[cost], 3)}, %{y:.4f}<extra></extra>`),
    marker: { color: colour(shown), symbol: which === "all" ? `${symbol}-open` : symbol, size: known.length > 60 ? 6 : 9, line: { width: 1.5 } },
  };
}

/** Names beside points, where they hide neither a symbol nor another name. */
function labels(known, x, front, ranges, width, height) {
  const pixel = (index, which) => [
    ((x[index] - ranges.x[0]) / (ranges.x[1] - ranges.x[0])) * width,
    (1 - (known[index][`saturation_${which}`] - ranges.y[0]) / (ranges.y[1] - ranges.y[0])) * height,
  ];
  const boxes = known.flatMap((_, index) =>
    ["chosen", "all"].map((which) => {
      const [left, top] = pixel(index, which);
      return [left - 6, top - 6, left + 6, top + 6];
    }),
  );
  const free = (box) =>
    box[0] >= 2 && box[2] <= width && box[1] >= 0 && box[3] <= height &&
    boxes.every((other) => box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3]);
  const made = [];
  for (const index of named(known, front)) {
    const text = labelOf(known[index]);
    const [left, top] = pixel(index, "chosen");
    const wide = 6.4 * text.length;
    for (const [dx, dy] of [[9, -9], [9, 9], [-9 - wide, -9], [-9 - wide, 9], [-wide / 2, -17], [-wide / 2, 17]]) {
      const box = [left + dx, top + dy - 8, left + dx + wide, top + dy + 8];
      if (!free(box)) continue;
      boxes.push(box);
      made.push({
        x: x[index], y: known[index].saturation_chosen, text, showarrow: false, xanchor: "left", yanchor: "middle",
        xshift: dx, yshift: -dy, font: { size: 11, color: colour("text") },
      });
      break;
    }
  }
  return made;
}

/** The size of a point, and its routing where there are several. */
function labelOf(point) {
  const several = computed.some((other) => other.routing !== point.routing);
  return several ? `${point.size} ${point.routing}` : point.size;
}

/** Which points to name, first those of the front; of many only the best of each label. */
function named(known, front) {
  const order = known.map((_, index) => index);
  const first = (index) => (front.includes(known[index].point) ? 0 : 1);
  order.sort((one, other) => first(one) - first(other) || known[other].saturation_chosen - known[one].saturation_chosen);
  if (known.length <= 12) return order;
  const seen = new Set();
  return order.filter((index) => {
    const name = labelOf(known[index]);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** The probe curve of a point with the cut of the candidates. */
function probeCurve(probe) {
  const trace = (name, members, mode, symbol, shown) => ({
    name, mode, x: members.map(([expression]) => literal(expression)), y: members.map((one) => one[1]),
    error_y: errors(members.map((one) => one[2])),
    marker: { symbol: members.map((one) => (one[3] ? symbol : `${symbol}-open`)), size: 8, color: colour(shown), line: { width: 1.5 } },
    line: { color: colour(shown), width: 1 },
  });
  return () => [
    [
      trace("data points", probe.table1, "lines+markers", "circle", "min"),
      ...(probe.strategic.length ? [trace("strategic choices", probe.strategic, "markers", "diamond", "vlb")] : []),
    ],
    {
      showlegend: true,
      xaxis: { tickangle: -60, tickfont: { size: 10 }, type: "category" },
      yaxis: { title: { text: "theta (flits/cycle/node)", standoff: 10 } },
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: probe.cut, y1: probe.cut, line: { color: colour("text"), dash: "dash", width: 1.5 } }],
      annotations: [{ xref: "paper", x: 0.01, y: probe.cut, text: `cut ${probe.cut.toFixed(4)}`, showarrow: false, yanchor: "bottom", xanchor: "left" }],
    },
  ];
}

/** Latency against load of the chosen and the conventional set. */
function latencies(curves) {
  return () => [
    curves.map(([expression, loads, label]) => {
      const conventional = expression === "all";
      const shown = loads.filter((one) => one[1] !== null);
      return {
        name: `${literal(label)}${conventional ? " (conventional)" : ""}`, mode: "lines+markers",
        x: shown.map((one) => one[0]), y: shown.map((one) => one[1]), error_y: errors(shown.map((one) => one[2])),
        line: { color: colour(conventional ? "vlb" : "min"), dash: conventional ? "dash" : "solid" },
        marker: { symbol: conventional ? "square-open" : "circle", size: 8 },
      };
    }),
    {
      showlegend: true,
      xaxis: { title: { text: "offered load (packets/cycle/node)", standoff: 10 } },
      yaxis: { title: { text: "latency (cycles)", standoff: 10 } },
    },
  ];
}

/** Saturation of the simulated sets with 95% intervals; the line is the conventional set. */
function simulatedSets(simulated, chosen) {
  return () => {
    const sets = [...simulated].reverse();
    const baseline = simulated[0].saturation[0];
    return [
      [
        {
          x: sets.map((set) => set.saturation[0]), y: sets.map((_, index) => index),
          text: sets.map((set) => literal(set.expression)),
          error_x: errors(sets.map((set) => set.saturation[1])), mode: "markers",
          marker: {
            size: 10, line: { width: 1.5 },
            color: sets.map((set) => colour(set.expression === chosen ? "min" : "vlb")),
            symbol: sets.map((set) => (set.expression === chosen ? "star" : "circle") + (set.confirmed ? "" : "-open")),
          },
          hovertemplate: "%{text}: %{x:.4f} ± %{error_x.array:.4f}<extra></extra>",
        },
      ],
      {
        showlegend: false,
        xaxis: { title: { text: "packets/cycle/node", standoff: 10 } },
        yaxis: { tickvals: [...sets.keys()], ticktext: sets.map((set) => wrapped(set.label, literal)), tickfont: { size: 11 }, zeroline: false },
        shapes: [{ type: "line", yref: "paper", y0: 0, y1: 1, x0: baseline, x1: baseline, line: { color: colour("text"), dash: "dash", width: 1.5 } }],
      },
    ];
  };
}

/** Usage of the links by percentile, before and after balancing. */
function percentiles(usage) {
  return () => [
    usage.map(([kind, when, values]) => ({
      name: `${kind}, ${when}`, mode: "lines+markers", x: values.map((_, index) => index), y: values,
      line: { color: colour(kind === "local" ? "min" : "vlb"), dash: when === "before" ? "dot" : "solid" },
      // Markers here and there tell the kinds apart without their colours.
      marker: { symbol: kind === "local" ? "circle" : "diamond-open", size: values.map((_, index) => (index % 20 === 10 ? 8 : 0)) },
    })),
    {
      showlegend: true,
      xaxis: { title: { text: "percentile of the links in use", standoff: 10 } },
      yaxis: { title: { text: "usage / mean", standoff: 10 } },
    },
  ];
}

const OVERVIEW_PLOTS = {
  "gain-links": gains("tvlb_saturation_gain", "links_per_pair", "links per group pair", "change of saturation"),
  "latency-links": gains("tvlb_latency_change", "links_per_pair", "links per group pair", "change of latency"),
  "gain-nodes": gains("tvlb_saturation_gain", "nodes", "compute nodes", "change of saturation"),
  "latency-nodes": gains("tvlb_latency_change", "nodes", "compute nodes", "change of latency"),
  "cost-switches": costs("switches_per_node", "switches per node, 1/p (of any radix)"),
  "cost-cables": costs("cables_per_node", "cables per node"),
  "cost-money": costs("cost_per_node", `cost per node${points[0]?.currency ? ` (${literal(points[0].currency)})` : ""}`),
};
