// The figures of measures of routes.

import * as plots from "./plots.js";

const data = JSON.parse(document.getElementById("data").textContent);
plots.plot("loads-plot", "spread", data.loads);
plots.plot("bandwidth-plot", "spread", data.bandwidth);
