// The page of a size: all points that differ in wiring, routing, settings and seed alone.

/** Return the page, or null if the report has no such size. */
function sizePage(name) {
  const members = points.filter((point) => point.size === name);
  if (!members.length) return null;
  const [first] = members;
  const { title, parameters, others } = data.sizes[name];
  const radix = first.radix === null ? "" : `radix ${first.radix}, `;
  return element(
    "article",
    null,
    element("p", null, element("a", { href: "#points" }, "Back to all points")),
    element("h1", { tabindex: "-1" }, title),
    facts([
      ...parameters.map(([label, value]) => [label, String(value)]),
      ["Compute nodes", count(first.nodes)],
      ["Switches", count(first.switches), `${radix}${figures(first.switches_per_node, 3)} per node`],
      ["Cables between switches", count(first.cables), `${figures(first.cables_per_node, 3)} per node`],
      ...others.map(([label, value]) => [label, String(value)]),
      ...(first.cost_per_node === null ? [] : [["Cost per node", `${amount(first.cost_per_node)} ${first.currency}`, first.watts === null ? null : `${amount(first.watts)} W in all`]]),
    ]),
    members.length > 1 ? summary(members) : null,
    members.map(section),
  );
}

function summary(members) {
  const columns = [["Point", true], ["Arrangement"], ["Routing"], ...(hasSettings ? [["Settings"]] : []), ["Seed", true], ["Status"], ["Chosen"], ["Saturation gain, chosen", true], ["Latency change, chosen", true], ["Best candidate"], ["Saturation gain, best", true], ["Latency change, best", true]];
  const rows = members.map((point) => [
    element("a", { href: pageLink(point) }, String(point.point)),
    point.arrangement ?? "none",
    point.routing,
    ...(hasSettings ? [point.settings] : []),
    String(point.seed),
    element("span", { class: `state ${point.status}` }, point.status),
    point.chosen === null ? "" : element("code", null, point.chosen),
    changeOf(point, "saturation_gain"),
    changeOf(point, "latency_change"),
    point.best === null ? "" : element("code", null, point.best),
    measuredOf(point, "best_saturation_gain"),
    measuredOf(point, "best_latency_change"),
  ]);
  return table("Points of this size, changes with 95% intervals", columns, rows);
}

function changeOf(point, figure) {
  if (point.status !== "succeeded") return "";
  return point.replaces_all ? measuredOf(point, figure) : "0 (kept)";
}

function measuredOf(point, figure) {
  if (point.status !== "succeeded") return "";
  const [low, high] = [point[`${figure}_low`], point[`${figure}_high`]];
  return [percent(point[figure]), point[figure] === null ? "" : element("small", null, low === null ? "no interval" : `${percent(low)} to ${percent(high)}`)];
}

function section(point) {
  const id = `point-${point.point}`;
  const content = [element("h2", { id, tabindex: "-1" }, `Point ${point.point}: ${pointName(point)}`)];
  if (point.status !== "succeeded") {
    content.push(element("p", { class: "problem" }, `Failed: ${point.error}`));
  } else {
    content.push(...outcome(point, data.details[point.point]));
  }
  return element("section", { "aria-labelledby": id }, content);
}

function outcome(point, detail) {
  const made = [
    element("p", { class: "lead" }, element("code", null, point.chosen), point.replaces_all ? " replaces conventional UGAL. " : " is kept; this is the best candidate. ", point.worth),
    detail?.verdict ? element("ul", null, ...detail.verdict.map((line) => element("li", null, line))) : null,
    facts([
      ["Saturation throughput", meanOf(point, "saturation_chosen", 4), `conventional ${meanOf(point, "saturation_all", 4)}`],
      [detail ? `Latency at load ${detail.reference_load}` : "Latency", meanOf(point, "latency_chosen", 2), `cycles, conventional ${meanOf(point, "latency_all", 2)}`],
      ["Best candidate", point.best ?? "none", point.best === null ? null : `saturation ${withInterval(point, "best_saturation_gain")}, latency ${withInterval(point, "best_latency_change")}`],
      ["Paths", count(point.paths), pathsRemark(point)],
      ...(point.cost_per_flit_chosen === null ? [] : [["Cost per accepted packet/cycle", `${amount(point.cost_per_flit_chosen)} ${point.currency}`, `conventional ${amount(point.cost_per_flit_all)}`]]),
    ]),
    element("p", { class: "small" }, `${simulatedOn(point, detail)}, +- is half of a 95% interval over the ${detail?.search?.case ?? "pattern"}s. Table `, element("code", { class: "id" }, point.table_id), `, tvlb ${point.version}.`),
  ];
  return detail ? [...made, ...searched(point, detail)] : [...made, element("p", null, "The report was made without the document of this table, so there is no more.")];
}

function simulatedOn(point, detail) {
  const cases = detail?.search ? `Judged on ${detail.search.cases}` : `${point.simulated_patterns} simulated patterns`;
  return detail ? `${cases} (${detail.patterns.join(", ")})` : cases;
}

function pathsRemark(point) {
  if (point.balancing === "weights") return "all kept, their weights balanced";
  return point.removed_by_balance === null ? null : `${count(point.removed_by_balance)} removed by balancing`;
}

function meanOf(point, figure, digits) {
  return plusMinus([point[figure], halfOf(point, figure)], digits);
}

function searched(point, detail) {
  const probe = data.probes[detail.probe];
  const id = (name) => `${name}-${point.point}`;
  return [
    ...searchPart(point, detail.search, detail.judgements),
    detail.search ? element("h3", null, "How it was found") : null,
    element(
      "div",
      { class: "figures" },
      figure(id("probe"), "Probe curve", `Modelled throughput over ${probe.patterns} of ${probe.available} patterns (${detail.stopped}), with 95% intervals; what reaches the dashed cut is a candidate and drawn full.`, () => FIGURES.probe(modelledOf(probe))),
      figure(id("sets"), "Simulated sets", "Saturation throughput with 95% intervals; the star was chosen, the line is conventional UGAL, open symbols were only screened.", () => FIGURES.candidates({ simulated: detail.simulated.map(setOf), chosen: point.chosen })),
      figure(id("curves"), "Latency against load", "Mean over the patterns, with 95% intervals; open where some are saturated, of the others.", () => FIGURES.latency(curvesOf(detail))),
      figure(id("usage"), "Link usage by percentile", `Usage of the links by the chosen set over their mean, before and after balancing${detail.sampled_pairs === null ? "" : `, of a sample of ${count(detail.sampled_pairs)} switch pairs`}.`, () => FIGURES.usage(usageOf(detail.usage))),
    ),
    candidateTable(point, detail),
    figureTables(point, detail, probe),
  ].filter((part) => part !== null);
}

/** Modelled sets by the names of their figures; the data have them in their order. */
function modelledOf({ table1, strategic, cut }) {
  const one = ([expression, theta_mean, theta_half, within_tolerance]) => ({ expression, theta_mean, theta_half, within_tolerance });
  return { probe: table1.map(one), strategic: strategic.map(one), cut };
}

function setOf({ expression, label, saturation: [saturation_mean, saturation], confirmed }) {
  return { expression, label, saturation_mean, half: { saturation }, confirmed };
}

function curvesOf({ curves, simulated }) {
  return curves.map(([expression, loads, label]) => ({
    name: `${label}${expression === simulated[0].expression ? " (conventional)" : ""}`,
    conventional: expression === simulated[0].expression, number: 0,
    points: loads.map(([load, latency_mean, latency_ci95, , saturated_patterns]) => ({ load, latency_mean, latency_ci95, saturated_patterns })),
  }));
}

function usageOf(usage) {
  const kinds = [...new Set(usage.map(([kind]) => kind))];
  const values = (kind, when) => usage.find((one) => one[0] === kind && one[1] === when)[2];
  return kinds.map((kind) => ({ kind, before: values(kind, "before"), after: values(kind, "after") }));
}

function candidateTable(point, detail) {
  const columns = [["Set"], ["Mean hops", true], ["Saturation", true], ["Latency", true], ["Gain, paired", true], ["Latency change, paired", true], ["Removed", true], ["Warm-up, window, grid"], ["Against conventional"]];
  const rows = detail.simulated.map((one, index) => [
    [element("code", null, one.expression), one.expression === point.chosen ? " chosen" : index === 0 ? " conventional" : ""],
    figures(one.hops, 2),
    plusMinus(one.saturation, 4),
    plusMinus(one.latency, 2),
    ...(one.changes ?? ["", ""]),
    one.removed === null ? "" : count(one.removed),
    `${one.windows[0]}, ${one.windows[1]}, ${one.windows[2]}`,
    one.verdict ?? (one.confirmed ? "" : "screened only"),
  ]);
  const caption = `Simulated sets of point ${point.point}: saturation in packets/cycle/node, latency and windows in cycles; +- is half of a 95% interval, changes have theirs`;
  return table(caption, columns, rows, (number) => detail.simulated[number].expression === point.chosen);
}

/** The figures behind the plots, for those who cannot see them. */
function figureTables(point, detail, probe) {
  const modelled = table(
    `Probe curve of point ${point.point}; +- is half of a 95% interval`,
    [["Set"], ["Theta", true], ["Mean hops", true], ["Candidate"]],
    [...probe.table1, ...probe.strategic].map((one) => [element("code", null, one[0]), plusMinus([one[1], one[2]], 4), figures(one[4], 2), one[3] ? "yes" : ""]),
  );
  const loads = detail.curves.map(([expression, members]) =>
    table(
      `Latency against load of point ${point.point}, ${expression}; +- is half of a 95% interval`,
      [["Load", true], ["Latency", true], ["Accepted", true], ["Saturated patterns", true]],
      members.map((one) => [figures(one[0], 3), plusMinus([one[1], one[2]], 2), figures(one[3], 4), String(one[4])]),
    ),
  );
  const shown = [...Array(11).keys()].map((tenth) => 10 * tenth);
  const usage = table(
    `Link usage over the mean by percentile, point ${point.point}`,
    [["Links"], ...shown.map((percentile) => [`${percentile}%`, true])],
    detail.usage.map(([kind, when, values]) => [`${kind}, ${when}`, ...shown.map((percentile) => figures(values[percentile], 2))]),
  );
  return element("details", null, element("summary", null, "Figures of the curves"), modelled, loads, usage);
}
