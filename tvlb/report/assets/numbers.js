// The data of the report, and how numbers look.

const data = JSON.parse(document.getElementById("data").textContent);
const points = data.rows.map((row) => Object.fromEntries(row.map((value, index) => [data.columns[index], value])));
const hasSettings = points.some((point) => point.settings);
const computed = points.filter((point) => point.status === "succeeded");

function pageLink(point) {
  return `#size=${point.size}&point=${point.point}`;
}

/** Wiring and routing of a point, which have a symbol of their own in the figures. */
function seriesName(point) {
  return point.arrangement === null ? point.routing : `${point.arrangement}, ${point.routing}`;
}

function pointName(point) {
  return `${seriesName(point)}, seed ${point.seed}${point.settings ? `, ${point.settings}` : ""}`;
}

function figures(value, digits) {
  return value === null || value === undefined ? "none" : value.toFixed(digits);
}

function plusMinus([value, error], digits, signed = false) {
  if (value === null) return "none";
  return `${signed && value >= 0 ? "+" : ""}${value.toFixed(digits)} ± ${figures(error, digits)}`;
}

function percent(value) {
  if (value === null) return "none";
  const text = (100 * value).toFixed(1);
  // Zero has one sign.
  return `${value >= 0 ? "+" : ""}${text === "-0.0" ? "+0.0" : text} %`;
}

/** An amount of money or power. */
function amount(value) {
  if (value === null) return "none";
  return value >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(4)));
}

/** A change in percent with its interval. */
function withInterval(value, low, high) {
  if (value === null) return "none";
  return low === null ? `${percent(value)} (no interval)` : `${percent(value)} (${percent(low)} to ${percent(high)})`;
}

function count(value) {
  return value === null ? "none" : String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}
