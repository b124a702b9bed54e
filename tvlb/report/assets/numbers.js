// The data of the report, and how numbers look.

const data = JSON.parse(document.getElementById("data").textContent);
const points = data.rows.map((row) => Object.fromEntries(row.map((value, index) => [data.columns[index], value])));
const computed = points.filter((point) => point.status === "succeeded");

/** Name of the page of a point. */
function pageName(point) {
  return `${point.p},${point.a},${point.h},${point.g}`;
}

function pageLink(point) {
  return `#topology=${pageName(point)}&point=${point.point}`;
}

function pointName(point) {
  return `${point.arrangement}, ${point.routing}, seed ${point.seed}`;
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
  return `${value >= 0 ? "+" : ""}${(100 * value).toFixed(1)} %`;
}

/** A change in percent with its interval. */
function withInterval(value, low, high) {
  if (value === null) return "none";
  return low === null ? `${percent(value)} (no interval)` : `${percent(value)} (${percent(low)} to ${percent(high)})`;
}

function count(value) {
  return value === null ? "none" : String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}
