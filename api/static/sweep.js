// The form for a new sweep.

import { asJson, asSeed, askWith, duration, line, lines, parsed } from "./asking.js";

const form = document.getElementById("request");

/** Ask for ranges of the family that is chosen. */
function showRanges() {
  const family = form.elements.family.value;
  const asked = form.querySelector(`template[data-family="${family}"]`).content.cloneNode(true);
  document.getElementById("ranges").replaceChildren(asked);
}

function ticked(name) {
  return [...form.querySelectorAll(`[name=${name}]:checked`)].map((one) => one.value);
}

/** The request, null without networks. */
function body() {
  const text = (name) => form.elements[name].value.trim();
  const ranges = [...form.querySelectorAll("[data-range]")].map((field) => field.name);
  const given = ranges.filter((name) => text(name) !== "");
  const topologies = lines(text("topologies"));
  if (!topologies.length && !given.length) return null;
  const others = text("others") === "" ? {} : parsed(text("others"), "Options and prices are");
  const found = { ...others, name: text("name"), topologies };
  if (given.length) {
    const texts = Object.fromEntries(given.map((name) => [name, text(name)]));
    found.generators = [{ family: text("family"), ...texts, constraints: lines(text("constraints")) }];
  }
  found.arrangements = ticked("arrangements");
  found.routings = ticked("routings");
  found.seeds = text("seeds").split(",").map((seed) => asSeed(seed.trim()));
  found.options = { method: text("method"), ...found.options };
  return asJson(found);
}

/** What an estimate says. */
function told(found) {
  if (found.known) return [line("Already computed: the answer comes at once.")];
  const { total, known } = found.points;
  return [
    line(
      `${total} ${total === 1 ? "point" : "points"}, ${known} of them already computed: about ` +
        `${duration(found.cost.cpu_seconds)} of processor time for all.`,
    ),
  ];
}

form.elements.family.addEventListener("input", showRanges);
showRanges();
askWith(form, { path: "/v1/sweeps", body, told });
