// The data of the report, and how numbers look.

const data = JSON.parse(document.getElementById("data").textContent);
const points = data.rows.map((row) => Object.fromEntries(row.map((value, index) => [data.columns[index], value])));
const hasSettings = points.some((point) => point.settings);
const computed = points.filter((point) => point.status === "succeeded");

function pageLink(point) {
  return `#size=${point.size}&point=${point.point}`;
}

/** Kind of network and routing of a point, which have a symbol of their own in the figures. */
function seriesName(point) {
  return `${kindOf(point)}, ${point.routing}`;
}

function pointName(point) {
  return `${seriesName(point)}, seed ${point.seed}${point.settings ? `, ${point.settings}` : ""}`;
}

function figures(value, digits) {
  return value === null || value === undefined ? "none" : value.toFixed(digits);
}

/** Half of the 95% interval of a figure of a point; null without one. */
function halfOf(point, figure) {
  const high = point[`${figure}_high`] ?? null;
  return high === null ? null : high - point[figure];
}

/** A mean with half of its 95% interval; of rows of earlier versions the mean alone. */
function plusMinus([value, half], digits) {
  return half === null ? figures(value, digits) : `${figures(value, digits)} +- ${figures(half, digits)}`;
}

function percent(value) {
  if (value === null) return "none";
  const text = (100 * value).toFixed(1);
  // Zero has one sign.
  return `${value >= 0 ? "+" : ""}${text === "-0.0" ? "+0.0" : text}%`;
}

/** An amount of money or power. */
function amount(value) {
  if (value === null) return "none";
  return value >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(4)));
}

/** A change in percent with its interval. */
function withInterval(changes, figure) {
  const [value, low, high] = ["", "_low", "_high"].map((end) => changes[figure + end] ?? null);
  if (value === null) return "none";
  return low === null ? `${percent(value)} (no interval)` : `${percent(value)} (${percent(low)} to ${percent(high)})`;
}

function count(value) {
  return value === null ? "none" : String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
