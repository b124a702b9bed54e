// The figures of a comparison. Tables have the numbers of the list above.

import * as plots from "./plots.js";

const data = JSON.parse(document.getElementById("data").textContent);
const tables = data.map((one, number) => [`${number + 1}`, one]);
plots.plot("compare-curves", "latency", plots.curvesOf(tables));
plots.plot("compare-gain", "saturations", tables);
