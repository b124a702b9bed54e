// The page of a table: figures, the network with its paths, and fairness on demand.

import * as plots from "./plots.js";
import { read, showLinks } from "./links.js";
import { fairnessForm } from "./fairness.js";

const data = JSON.parse(document.getElementById("data").textContent);
plots.plot("probe-plot", "probe", data);
plots.plot("curves-plot", "latency", plots.curvesOf([["", data]]));
plots.plot("candidates-plot", "candidates", plots.setsOf(data));
plots.plot("usage-plot", "usage", plots.usageOf(data));
if (data.search) {
  plots.plot("front-plot", "front", data.search);
  plots.plot("anytime-plot", "anytime", data.search);
  if (data.search.shapes.length) plots.plot("shapes-plot", "shapes", data.search);
}
fairnessForm(data);

const form = document.getElementById("pair");
const problem = document.getElementById("pair-problem");
const panel = document.getElementById("paths");
const list = document.getElementById("path-list");
const MOST_LISTED = 500;
let picture;
let shown = [];
// What the picture shows, or will as soon as the links are there.
let drawn = [[], [], []];

function complain(text) {
  problem.textContent = text;
  problem.hidden = text === "";
}

async function showPicture() {
  picture = await showLinks(data.url, complain, pick);
  if (picture === null) return;
  picture.colourByUsage(form.elements.usage.checked);
  picture.show(...drawn);
}

/** A click names the source, the next one the destination. */
function pick(picked) {
  const { src, dst } = form.elements;
  if (shown.length || pick.first === undefined) {
    clear();
    pick.first = picked;
    src.value = picked;
    picture.mark([picked]);
    return;
  }
  dst.value = picked;
  pick.first = undefined;
  showPaths();
}

function draw(...what) {
  drawn = what;
  picture?.show(...what);
}

function clear() {
  shown = [];
  pick.first = undefined;
  panel.hidden = true;
  complain("");
  draw([], [], []);
}

async function showPaths() {
  const { src, dst } = form.elements;
  clear();
  const found = await read(`${data.url}/paths?src=${encodeURIComponent(src.value)}&dst=${encodeURIComponent(dst.value)}&limit=${MOST_LISTED}`, complain);
  if (found === null) return;
  shown = [
    ...found.min_paths.map((path) => ({ kind: "MIN", ...path })),
    ...found.paths.map((path) => ({ kind: "VLB", ...path })),
  ];
  list.replaceChildren(...shown.map(item));
  const hops = found.total ? `; a drawn VLB path has ${found.mean_hops.toFixed(2)} hops` : "";
  const listed = found.total > MOST_LISTED ? ` The first ${MOST_LISTED} are listed.` : "";
  document.getElementById("paths-summary").textContent =
    `${found.min_paths.length} MIN and ${found.total} VLB paths from ${called(found.src)} to ` +
    `${called(found.dst)}${hops}.${listed}`;
  panel.hidden = false;
  draw([found.src, found.dst], linksOf(found.min_paths), found.links);
}

function called(node) {
  return picture?.nameOf(node) ?? `switch ${node}`;
}

function linksOf(paths) {
  return paths.flatMap(({ links, weight }) => links.map((link) => ({ link, weight })));
}

function item(path, number) {
  const option = document.createElement("option");
  option.value = number;
  option.textContent = `${path.kind} ${(100 * path.weight).toFixed(2)}% ${path.switches.join(" ")}`;
  option.title = path.switches.map(called).join("; ");
  return option;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  showPaths();
});
form.elements.usage.addEventListener("change", (event) => picture?.colourByUsage(event.target.checked));
document.getElementById("clear").addEventListener("click", clear);
list.addEventListener("change", () => {
  const path = shown[list.value];
  const ends = [path.switches[0], path.switches.at(-1)];
  const links = linksOf([path]);
  draw(ends, path.kind === "MIN" ? links : [], path.kind === "VLB" ? links : []);
});

showPicture();
