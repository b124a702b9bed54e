// What all figures look like, in the colours of the page; reports and the pages of the service share it.

export const LOAD_UNIT = "packets/cycle/node";
export const SYMBOLS = [
  "circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon", "pentagon",
  "triangle-down", "hourglass", "star-triangle-up", "bowtie", "star-square", "star-diamond",
];
export const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const PALETTE = ["min", "vlb", "third", "fourth", "fifth"];
const ROOM = 1.08;
const MOST_LOAD = 1.02;
// Of intervals that are longer than what they are of: of two patterns 12 times their spread.
const LONGEST_BAR = 0.5;
const DASH = 6;
const LINE_HEIGHT = 15;
// Of titles; what is around an axis is its labels and the legend.
const LETTER = 8.5;
const AROUND = 140;

/** Return a colour of the style sheet. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Colours that tell members of a list apart; what has more members than there are tells them by shape, too. */
export function shade(number) {
  return colour(PALETTE[number % PALETTE.length]);
}

export function symbol(number) {
  return SYMBOLS[number % SYMBOLS.length];
}

/** Keep Plotly from reading a text as markup. */
export function literal(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Break a label into lines that legends of the narrowest figures have room for. */
export function wrapped(text, most = 38) {
  const lines = [""];
  for (const word of String(text).split(" ")) {
    const longer = lines.at(-1) === "" ? word : `${lines.at(-1)} ${word}`;
    if (lines.at(-1) === "" || longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map(literal).join("<br>");
}

/** Error bars that end at 0: what is drawn so is never negative. */
export function bars(values, halves, signed = false) {
  const many = values.length > 60;
  const above = halves.map((half) => half ?? 0);
  return {
    type: "data", symmetric: false, visible: above.some((half) => half > 0), array: above,
    arrayminus: signed ? above : above.map((half, index) => Math.min(half, Math.max(values[index], 0))),
    thickness: many ? 0.6 : 1.2, width: many ? 0 : 3, color: colour("faint"),
  };
}

/** Ends of an axis of figures that are 0 or more, and `most` or less; longer intervals are cut at the frame. */
export function fromZero(values, halves = [], most = Infinity) {
  const top = Math.max(0, ...values.filter((value) => Number.isFinite(value)));
  const longest = Math.max(0, ...halves.map((half) => half ?? 0));
  const end = ROOM * (top + Math.min(longest, LONGEST_BAR * top)) || 1;
  return [0, Math.min(end, MOST_LOAD * most)];
}

/** Ends of an axis of some figures that are 0 or more, around these. */
export function around(values, halves = [], most = Infinity) {
  const known = values.filter((value) => Number.isFinite(value));
  if (!known.length) return [0, 1];
  const reach = Math.max(...halves.map((half) => half ?? 0), 0);
  const [low, high] = [Math.min(...known) - reach, Math.max(...known) + reach];
  const room = 0.08 * (high - low) || 0.05 * high || 1;
  return [Math.max(0, low - room), Math.min(high + room, MOST_LOAD * most)];
}

/** Leave out what has no points, say so where there is nothing, and draw lines on each other in turns. */
export function finished([traces, layout], nothing = "there is nothing to draw") {
  const shown = traces.filter((trace) => trace.type === "heatmap" || (trace.x ?? trace.y).length);
  const same = new Map();
  for (const trace of shown) {
    if (!trace.mode?.includes("lines") || trace.line?.width === 0) continue;
    const key = JSON.stringify([trace.x, trace.y]);
    same.set(key, [...(same.get(key) ?? []), trace]);
  }
  for (const lines of same.values()) {
    if (lines.length === 1) continue;
    lines.forEach((trace, index) => {
      const rest = DASH * (lines.length - 1 - index);
      trace.line = { ...trace.line, dash: `0px,${DASH * index}px,${DASH}px,${rest}px` };
      if (typeof trace.marker?.size === "number") trace.marker = { ...trace.marker, size: trace.marker.size + 4 * (lines.length - 1 - index) };
    });
  }
  if (shown.length) return [shown, layout];
  const note = { text: nothing, showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5 };
  return [[], { ...layout, annotations: [note], xaxis: { range: [0, 1], ...layout.xaxis }, yaxis: { range: [0, 1], ...layout.yaxis } }];
}

/** The layout of a figure, with what is its own. */
export function layoutOf({ rows, ...more }) {
  const text = colour("text");
  const axis = {
    gridcolor: colour("line"), zerolinecolor: colour("faint"), linecolor: text, automargin: true,
    exponentformat: "none", separatethousands: true, zeroline: false,
  };
  const titled = (own) => ({ ...axis, ...own, title: { standoff: 10, ...own?.title } });
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: text, family: "system-ui, sans-serif", size: 13 },
    margin: { l: 60, r: 15, t: 10, b: 50 },
    hovermode: "closest",
    hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: text } },
    ...more,
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, maxheight: 500, ...more.legend },
    xaxis: titled(more.xaxis),
    yaxis: titled(more.yaxis),
  };
}

const drawn = new Map();

/** Draw a figure; `make` returns traces and layout, and gets the width and height of the place. */
export function show(place, make) {
  if (!drawn.has(place)) place.dataset.height = place.clientHeight;
  let [traces, more] = finished(make(place.clientWidth, place.clientHeight));
  const before = place.clientHeight;
  place.style.height = `${heightOf(traces, more, place.clientWidth, Number(place.dataset.height))}px`;
  if (place.clientHeight !== before) [traces, more] = finished(make(place.clientWidth, place.clientHeight));
  const size = { width: place.clientWidth, height: place.clientHeight };
  const xaxis = inLines(more.xaxis, size.width);
  const yaxis = inLines(more.yaxis, size.height);
  Plotly.react(place, traces, layoutOf({ ...more, ...size, xaxis, yaxis }), { displaylogo: false });
  const isNew = !drawn.has(place);
  drawn.set(place, make);
  if (!isNew) return;
  place.on("plotly_click", (event) => {
    const target = event.points[0]?.customdata;
    if (target) location.hash = target;
  });
}

/** Break the title of an axis before its unit where it is longer than the axis. */
function inLines(axis, length) {
  const text = axis.title?.text ?? "";
  const longest = Math.max(...text.split("<br>").map((line) => line.length));
  if (LETTER * longest < length - AROUND) return axis;
  return { ...axis, title: { ...axis.title, text: text.replace(" (", "<br>(") } };
}

/** Height of a figure with its legend and the rows of its labels. */
function heightOf(traces, more, width, least) {
  const legend = more.showlegend === false ? 0 : 22 * (legendRows(traces, width, more.legend?.orientation) - 1);
  return Math.max(least + Math.max(legend, 0), LINE_HEIGHT * (more.rows ?? 0) + 110 + Math.max(legend, 0));
}

/** Rows that Plotly will need for the legend of traces: its columns are as wide as the longest name. */
export function legendRows(traces, width, orientation = "h") {
  const names = traces.filter((trace) => trace.showlegend !== false && trace.name).map((trace) => trace.name.split("<br>"));
  const lines = Math.max(1, ...names.map((parts) => parts.length));
  if (orientation === "v") return names.reduce((sum, parts) => sum + parts.length, 0);
  const column = 45 + 7 * Math.max(0, ...names.flat().map((part) => part.length));
  return lines * Math.ceil(names.length / Math.max(1, Math.floor((width - 75) / column)));
}

/** Draw everything that can be seen again. */
export function redraw() {
  for (const [place, make] of drawn) if (place.offsetParent !== null) show(place, make);
}

/** Forget the figures in a part of the page that is going to be removed. */
export function forgetIn(part) {
  for (const place of [...drawn.keys()]) {
    if (!part.contains(place)) continue;
    Plotly.purge(place);
    drawn.delete(place);
  }
}

/** Draw again whenever colours or widths change. */
export function watchPage() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  matchMedia("print").addEventListener("change", redraw);
  let resizing;
  addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(redraw, 150);
  });
}
