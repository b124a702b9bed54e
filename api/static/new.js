// The form of a kind of request that has none of its own: its fields are those of the body.

import { asJson, asNumber, asSeed, askWith, lines, parsed, toldCost } from "./asking.js";

const form = document.getElementById("request");
const READ = { number: (text) => (/^-?[0-9]+$/.test(text) ? asSeed(text) : asNumber(text)), lines, json: (text) => parsed(text, "A value is"), text: (text) => text };

/** The request, null where what is needed is missing; what is empty is left to the service. */
function body() {
  const found = {};
  for (const field of form.querySelectorAll("[data-input]")) {
    if (field.dataset.input === "check") found[field.name] = field.checked;
    else if (field.value.trim() !== "") found[field.name] = READ[field.dataset.input](field.value.trim());
    else if (field.required) return null;
  }
  return asJson(found);
}

askWith(form, { path: form.dataset.path, body, told: toldCost });
