// The figures of a simulation.

import * as plots from "./plots.js";

const data = JSON.parse(document.getElementById("data").textContent);
const bySwitch = data.rows.filter((row) => row.by_switch);
if (data.rows.length && data.has_load_curve) {
  plots.plot("loads-plot", "loads", data);
  plots.plot("accepted-plot", "accepted", data);
}
for (const [number, course] of data.courses.entries()) plots.plot(`course-plot-${number}`, course.look, course);
if (bySwitch.length)
  plots.plot("switches-plot", "switches", bySwitch.map((row) => [`load ${row.load}`, row.by_switch]));
