// The form for a new study of stability.

import { asJson, asNumber, asSeed, askWith, lines, parsed, toldCost } from "./asking.js";

const form = document.getElementById("request");
const NUMBERS = [...form.querySelectorAll("[data-number]")].map((field) => field.name);

/** The request, null without a network; what is empty is left to the service. */
function body() {
  const text = (name) => form.elements[name].value.trim();
  const topology = text("topology");
  if (topology === "") return null;
  const without = text("without") === "" ? null : parsed(text("without"), "The failures are");
  const found = { topology: without === null ? topology : { network: topology, without } };
  if (text("pattern") !== "") found.pattern = text("pattern");
  for (const name of NUMBERS) if (text(name) !== "") found[name] = asNumber(text(name));
  if (text("seed") !== "") found.seed = asSeed(text("seed"));
  found.routing = [...form.querySelectorAll("[name=routing]:checked")].map((one) => one.value);
  found.vcs = lines(text("vcs"));
  found.until_collapse = form.elements.until_collapse.checked;
  return asJson(found);
}

askWith(form, { path: "/v1/stabilities", body, told: toldCost });
