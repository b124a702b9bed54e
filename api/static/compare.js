// The figures of a comparison.

import * as plots from "./plots.js";

const data = JSON.parse(document.getElementById("data").textContent);
const names = data.map((one, number) => `${number + 1}: ${one.topology}`);
const tables = data.map((one, number) => [names[number], one]);
plots.plot("compare-curves", () => plots.curves(tables));
plots.plot("compare-gain", () => plots.gains(tables));
