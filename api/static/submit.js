// The form for a new table.

import { askWith, requestOf, toldCost } from "./asking.js";

const form = document.getElementById("request");

/** Offer what has a meaning for the method, and show its defaults. */
function fitMethod() {
  const method = form.elements.method.value;
  for (const label of form.querySelectorAll("[data-method]")) {
    label.hidden = label.dataset.method !== method;
    for (const field of label.querySelectorAll("input, textarea")) field.disabled = label.hidden;
  }
  for (const field of form.querySelectorAll("input[data-search]")) field.placeholder = field.dataset[method];
}

askWith(form, { path: "/v1/tables", body: () => requestOf(form), told: toldCost, changed: fitMethod });
