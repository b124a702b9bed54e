// Probe curves as small multiples, drawn as plain SVG: there may be hundreds.

const SVG = "http://www.w3.org/2000/svg";
const SIZE = { width: 220, height: 130, left: 28, right: 6, top: 8, bottom: 20 };

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Fill the place with a curve for each different probe, on one scale. */
function smallMultiples(place) {
  const highest = Math.max(...data.probes.flatMap((probe) => probe.table1.map((one) => one[1] + (one[2] ?? 0))));
  const grid = element("div", { class: "multiples" });
  for (const probe of data.probes) {
    const members = probe.points.map((number) => points.find((point) => point.point === number));
    const plot = element("div", { class: "small-plot" });
    whenVisible(plot, () => plot.append(curve(probe, highest)));
    const links = members.flatMap((point, index) => [
      index ? ", " : "",
      element("a", { href: pageLink(point), "aria-label": `Point ${point.point}, ${pointName(point)}` }, String(point.point)),
    ]);
    const text = `${probe.topology}, ${members.length === 1 ? "point" : "points"} `;
    grid.append(element("figure", null, plot, element("figcaption", null, text, ...links)));
  }
  place.append(grid);
}

function curve(probe, highest) {
  const { width, height, left, right, top, bottom } = SIZE;
  const count = probe.table1.length;
  const x = (index) => left + ((index + 0.5) * (width - left - right)) / count;
  const y = (theta) => height - bottom - (theta / (highest || 1)) * (height - top - bottom);
  const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": described(probe) });
  made.append(svg("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }));
  for (const theta of [0, highest]) made.append(svg("text", { x: left - 3, y: y(theta) + 3, "text-anchor": "end" }, theta.toFixed(2)));
  made.append(svg("path", { class: "cut", d: `M${left} ${y(probe.cut)}H${width - right}` }));
  made.append(svg("path", { class: "curve", d: probe.table1.map((one, index) => `${index ? "L" : "M"}${x(index)} ${y(one[1])}`).join("") }));
  probe.table1.forEach(([, theta, half, candidate], index) => {
    if (half) made.append(svg("path", { class: "bar", d: `M${x(index)} ${y(Math.max(theta - half, 0))}V${y(theta + half)}` }));
    made.append(svg("circle", { class: candidate ? "dot candidate" : "dot", cx: x(index), cy: y(theta), r: 2 }));
  });
  let free = left - 10;
  probe.table1.forEach(([expression], index) => {
    // The full classes are enough to find one's way.
    if (!/^(<=\d+|all)$/.test(expression)) return;
    const half = 3 * expression.length;
    const at = Math.min(x(index), width - half);
    if (at - half < free) return;
    free = at + half + 4;
    made.append(svg("text", { x: at, y: height - bottom + 11, "text-anchor": "middle" }, expression));
  });
  return made;
}

function described(probe) {
  const within = probe.table1.filter((one) => one[3]).length;
  const best = probe.table1.reduce((one, other) => (other[1] > one[1] ? other : one));
  return `Probe curve of ${probe.topology}: ${within} of ${probe.table1.length} data points reach the cut of ${probe.cut.toFixed(4)}; the largest theta is ${best[1].toFixed(4)} of ${best[0]}.`;
}
