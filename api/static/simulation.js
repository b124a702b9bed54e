// The figures of a simulation.

import * as plots from "./plots.js";

const data = JSON.parse(document.getElementById("data").textContent);
plots.plot("loads-plot", () => plots.loads(data));
plots.plot("switches-plot", () =>
  plots.switches(
    data.rows.filter((row) => row.by_switch).map((row) => [`load ${row.load}`, row.by_switch]),
  ),
);
