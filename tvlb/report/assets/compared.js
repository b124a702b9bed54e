// Figures that compare the points of a sweep. Families, wirings and routings differ by shape, families and wirings by
// colour, too.

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

function different(values) {
  return [...new Set(values)];
}

/** Family of the network of a point. */
function familyOf(point) {
  return point.topology.split("(")[0].trim();
}

/** Family and wiring of a point, as far as points differ in these. */
function kindOf(point) {
  const several = different(computed.map(familyOf)).length > 1;
  const parts = [several || point.arrangement === null ? familyOf(point) : null, point.arrangement];
  return parts.filter((part) => part !== null).join(" ");
}

/** Symbol and colour of the family, wiring and routing of a point, in the order in which these come. */
function mark(point) {
  const kinds = different(computed.map(kindOf));
  const routings = different(computed.map((one) => one.routing));
  const kind = kinds.indexOf(kindOf(point));
  return { shape: symbol(kind * routings.length + routings.indexOf(point.routing)), tint: shade(kind) };
}

/** Measured change by the T-VLB set against conventional UGAL, over a figure of the network. */
function gains(figure, size, title, yTitle) {
  return (width) => {
    // Networks without groups have no links per group pair.
    const known = computed.filter((point) => point[figure] !== null && point[size] !== null);
    if (!known.length) return [[], { xaxis: { title: { text: title } }, yaxis: { title: { text: yTitle } } }];
    const places = sideBySide(known.map((point) => Math.log10(point[size])));
    const halves = known.map((point) => halfOf(point, figure));
    const traces = [];
    known.forEach((point, index) => {
      const series = seriesName(point);
      const name = `${series}/${point.replaces_all}`;
      let trace = traces.find((one) => one.uid === name);
      if (!trace) {
        const { shape, tint } = mark(point);
        trace = {
          uid: name, name: series, legendgroup: series, mode: "markers",
          x: [], y: [], text: [], customdata: [], halves: [],
          marker: { color: tint, symbol: point.replaces_all ? shape : `${shape}-open`, size: known.length > 60 ? 6 : 9, line: { width: known.length > 60 ? 0.7 : 1.5 } },
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
      trace.error_y = bars(trace.y, trace.halves, true);
      delete trace.halves;
      delete trace.uid;
    }
    const margin = Math.max(...places) - Math.min(...places) < 1e-9 ? 0.3 : 0.06 * (Math.max(...places) - Math.min(...places));
    return [
      traces,
      {
        showlegend: true,
        xaxis: {
          title: { text: title },
          range: [Math.min(...places) - margin, Math.max(...places) + margin],
          ...ticks(known.map((point) => point[size]), width),
        },
        yaxis: {
          title: { text: yTitle }, tickformat: "+.3~g", ticksuffix: "%", zeroline: true, zerolinewidth: 2,
          range: frame(known.map((point) => point[figure]), halves).map((end) => 100 * end),
        },
      },
    ];
  };
}

/** Saturation throughput of the chosen and the conventional set against a cost: of own or of common traffic. */
function costs(cost, title, figure = "saturation") {
  const yTitle = `${figure === "common" ? "saturation, common traffic" : "saturation"} (${LOAD_UNIT})`;
  const own = (point) => ({
    ...point, saturation_chosen: point.common_chosen, saturation_all: point.common_all,
    saturation_chosen_high: null, saturation_all_high: null,
  });
  return (width, height) => {
    const known = computed
      .filter((point) => point[`${figure}_chosen`] !== null && point[cost] !== null)
      .map((point) => (figure === "common" ? own(point) : point));
    if (!known.length) return [[], { xaxis: { title: { text: title } }, yaxis: { title: { text: yTitle } } }];
    const front = data.fronts[cost].filter((number) => known.some((point) => point.point === number));
    const x = sideBySide(known.map((point) => point[cost]));
    const ordered = front.map((number) => known.findIndex((point) => point.point === number));
    const [lowest, highest] = [Math.min, Math.max].map((end) => end(...known.flatMap((point) => [point.saturation_chosen, point.saturation_all])));
    const rise = Math.max(highest - lowest, 0.1 * highest, 0.01);
    const span = Math.max(...x) - Math.min(...x) || Math.max(...x);
    const ranges = { x: [Math.min(...x) - 0.08 * span, Math.max(...x) + 0.16 * span], y: [Math.max(0, lowest - 0.15 * rise), Math.min(1.02, highest + 0.18 * rise)] };
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
        xaxis: { title: { text: title }, range: ranges.x, automargin: false },
        yaxis: { title: { text: yTitle }, range: ranges.y },
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
  const { shape, tint } = mark(known.find((point) => seriesName(point) === name));
  const of = members.map((index) => known[index]);
  const set = (point) => (which === "all" ? `all, conventional${point.replaces_all ? "" : ", kept"}` : literal(point.chosen));
  return {
    name: `${name}, ${which === "all" ? "conventional" : "chosen"}`, mode: "markers",
    x: members.map((index) => x[index]), y: of.map((point) => point[`saturation_${which}`]),
    error_y: bars(of.map((point) => point[`saturation_${which}`]), of.map((point) => halfOf(point, `saturation_${which}`))),
    customdata: of.map(pageLink),
    hovertemplate: of.map((point) => `${literal(point.topology)}, ${set(point)}<br>${literal(pointName(point))}<br>${point.radix === null ? "" : `radix ${point.radix}, `}${count(point.nodes)} nodes<br>${figures(point[cost], 3)}, %{y:.4f}<extra></extra>`),
    marker: { color: tint, symbol: which === "all" ? `${shape}-open` : shape, size: known.length > 60 ? 6 : 9, line: { width: 1.5 } },
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

/** The size of a point, with its family and its routing where there are several. */
function labelOf(point) {
  const several = computed.some((other) => other.routing !== point.routing);
  const network = different(computed.map(familyOf)).length > 1 ? point.topology : point.size;
  return literal(several ? `${network} ${point.routing}` : network);
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

Object.assign(FIGURES, {
  "gain-links": gains("tvlb_saturation_gain", "links_per_pair", "links per group pair", "change of saturation"),
  "latency-links": gains("tvlb_latency_change", "links_per_pair", "links per group pair", "change of latency"),
  "gain-nodes": gains("tvlb_saturation_gain", "nodes", "compute nodes", "change of saturation"),
  "latency-nodes": gains("tvlb_latency_change", "nodes", "compute nodes", "change of latency"),
  "cost-switches": costs("switches_per_node", "switches per node, of any radix"),
  "cost-cables": costs("cables_per_node", "cables per node"),
  "cost-common": costs(
    "price", points[0]?.cost_per_node === null ? "ports of switches per node" : `cost per node${points[0]?.currency ? ` (${literal(points[0].currency)})` : ""}`,
    "common",
  ),
  "cost-money": costs("cost_per_node", `cost per node${points[0]?.currency ? ` (${literal(points[0].currency)})` : ""}`),
});
