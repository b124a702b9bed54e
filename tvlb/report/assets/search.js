// What a search for weighted sets found, on the page of a size.

/** Return the part of a point; none for the paper's method, and for documents of earlier versions. */
function searchPart(point, search, judgements) {
  if (!search) return [];
  const id = (name) => `${name}-${point.point}`;
  return [
    element("h3", null, "What the search found"),
    facts([
      ["Objective", search.objective],
      ["Simulated", `${count(search.sets)} sets`, `${count(search.flit_hops)} flit-hops, with a budget of ${count(search.budget)}`],
      ["Not simulated", count(search.pruned), "certified bounds say that they cannot win"],
      ["Chosen set balanced", point.balancing ? `by ${point.balancing}` : "no"],
    ]),
    element(
      "div",
      { class: "figures" },
      figure(id("front"), "Saturation against latency", `On ${search.cases}, latency at load ${search.loads[0]}; error bars are the intervals of the changes against conventional UGAL. A line joins the found sets that no other found one beats.`, () => FIGURES.front(search), "plot tall"),
      search.shapes.length ? figure(id("shapes"), "Detours by shape", "Share of the drawn detours of the chosen set by the kinds of links of both halves; the mark is conventional UGAL.", () => FIGURES.shapes(search), "plot tall") : null,
      figure(id("anytime"), "Anytime curve", `Score of the best set so far against what the search simulated until then; 0 is the reference, ${search.reference}.`, () => FIGURES.anytime(search), "plot tall"),
    ),
    judgedTable(point, search),
    changeTable(point, search, judgements),
    element("details", null, element("summary", null, "Figures of the shapes and the steps"), search.shapes.length ? shapeTable(point, search) : null, search.steps.length ? stepTable(point, search) : null),
  ];
}

function judgedTable(point, search) {
  const [low, high] = search.loads;
  const columns = [["Set"], ["What it is"], ["Saturation", true], [`Latency at ${low}`, true], [`Latency at ${high}`, true]];
  const rows = search.judged.map((one) => [
    element("code", null, one.expression),
    `${one.name}${one.chosen ? ", chosen" : ""}`,
    figures(one.saturation, 4),
    figures(one.latency, 2),
    figures(one.higher, 2),
  ]);
  const caption = `Sets of point ${point.point} on ${search.cases}: saturation in packets/cycle/node, latency in cycles`;
  return table(caption, columns, rows, (number) => search.judged[number].chosen);
}

function changeTable(point, search, judgements) {
  const [low, high] = search.loads;
  const columns = [["Set"], ["Against"], ["Saturation", true], [`Latency at ${low}`, true], [`Latency at ${high}`, true]];
  return table(`Changes of point ${point.point}, paired run by run; with 95% confidence, all intervals hold at once`, columns, judgements);
}

function shapeTable(point, search) {
  const share = (value) => (value === null ? "" : `${(100 * value).toFixed(1)}%`);
  return table(
    `Detours by shape of the chosen set, point ${point.point}`,
    [["Shape"], ["Weight", true], ["Share", true], ["Conventional", true]],
    search.shapes.map((one) => [element("code", null, one.shape), one.weight === null ? "" : String(one.weight), share(one.share), share(one.conventional)]),
  );
}

function stepTable(point, search) {
  return table(
    `Steps of the anytime curve, point ${point.point}`,
    [["Flit-hops", true], ["Score", true], ["Latency counts", true], ["Set"]],
    search.steps.map((step) => [count(step.flit_hops), figures(step.score, 4), String(step.latency_weight), element("code", null, step.expression)]),
  );
}
