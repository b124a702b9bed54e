// The figure of a study of stability.

import * as plots from "./plots.js";

const data = JSON.parse(document.getElementById("data").textContent);
plots.plot("bands-plot", "bands", data.bands);
