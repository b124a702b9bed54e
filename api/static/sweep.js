// The form for a new sweep.

import { asJson, askWith, duration, line, lines, valuesOf } from "./asking.js";

const form = document.getElementById("request");
const generators = document.getElementById("generators");

const copyOf = (template) => template.content.cloneNode(true);

/** Ask for ranges of the family that is chosen. */
function showRanges(section) {
  const family = section.querySelector("[data-family]").value;
  const asked = copyOf(form.querySelector(`template[data-of="${family}"]`));
  section.querySelector("[data-ranges]").replaceChildren(asked);
}

function addGenerator() {
  generators.append(copyOf(document.getElementById("generator")));
  showRanges(generators.lastElementChild);
}

/** The ranges of a section, null where there are none. */
function generatorOf(section) {
  const fields = [...section.querySelectorAll("[data-range]")].filter((field) => field.value.trim() !== "");
  if (!fields.length) return null;
  const texts = Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]));
  const constraints = lines(section.querySelector("[name=constraints]").value);
  return { family: section.querySelector("[data-family]").value, ...texts, constraints };
}

/** A section with its name, which may have a router behind it: of one kind there is one. */
function sectionOf([name, options], _, all) {
  const [kind, router] = name.split(":");
  const several = all.filter(([other]) => other.split(":")[0] === kind).length > 1;
  if (several) throw new Error(`${kind}: options of several routers are given; a sweep has one of them`);
  return [kind, router ? { router, ...options } : options];
}

/** The request, null without networks. */
function body() {
  const found = valuesOf(form);
  if (found === null) return null;
  found.compute &&= Object.fromEntries(Object.entries(found.compute).map(sectionOf));
  found.generators = [...generators.children].map(generatorOf).filter((one) => one !== null);
  return found.topologies || found.generators.length ? asJson(found) : null;
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

generators.addEventListener("input", ({ target }) => {
  if (target.matches("[data-family]")) showRanges(target.closest("[data-generator]"));
});
generators.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-remove]")) return;
  target.closest("[data-generator]").remove();
  form.dispatchEvent(new Event("input"));
});
document.getElementById("add").addEventListener("click", addGenerator);
addGenerator();
askWith(form, { path: "/v1/sweeps", body, told });
