// The form of a kind of request: its fields are those of the body.

import { askWith, requestOf, toldCost } from "./asking.js";

const form = document.getElementById("request");
for (const [name, text] of new URLSearchParams(location.search)) {
  const field = form.elements[name];
  if (field instanceof HTMLInputElement) field.value = text;
}
askWith(form, { path: form.dataset.path, body: () => requestOf(form), told: toldCost });
