// The form for a new table.

import { asJson, asNumber, asSeed, askWith, lines, toldCost } from "./asking.js";

const form = document.getElementById("request");
const NUMBERS = ["tolerance", "finalists", "data_points", "simulated_patterns"];
const NUMBERS_OR_WORDS = ["patterns", "budget"];
const WINDOWS = ["screening", "confirmation"];

/** The request, null without a network; what is empty or has no meaning for the method is left to the service. */
function body() {
  const given = new FormData(form);
  const text = (name) => (given.get(name) ?? "").trim();
  if (text("topology") === "") return null;
  const found = { topology: text("topology"), routing: text("routing"), method: text("method") };
  if (text("objective") !== "") found.objective = text("objective");
  for (const name of NUMBERS) if (text(name) !== "") found[name] = asNumber(text(name));
  for (const name of NUMBERS_OR_WORDS) {
    if (text(name) !== "") found[name] = /^[0-9]+$/.test(text(name)) ? Number(text(name)) : text(name);
  }
  for (const name of WINDOWS) {
    if (text(name) === "") continue;
    const numbers = text(name).split(",").map(asNumber);
    const [warmup, measured, grid] = numbers;
    found[name] = numbers.length === 3 ? { warmup, measured, grid } : text(name);
  }
  for (const { name, dataset } of form.querySelectorAll("[data-router]")) {
    if (text(name) !== "") found[name] = dataset.router === "number" ? asNumber(text(name)) : text(name);
  }
  const traffic = lines(text("traffic"));
  if (traffic.length) found.traffic = traffic;
  found.balance = given.has("balance");
  if (text("seed") !== "") found.seed = asSeed(text("seed"));
  return asJson(found);
}

/** Offer what has a meaning for the method, and show its defaults. */
function fitMethod() {
  const method = form.elements.method.value;
  for (const label of form.querySelectorAll("label[data-method]")) {
    label.hidden = label.dataset.method !== method;
    for (const field of label.querySelectorAll("input, textarea")) field.disabled = label.hidden;
  }
  for (const field of form.querySelectorAll("input[data-search]")) field.placeholder = field.dataset[method];
}

askWith(form, { path: "/v1/tables", body, told: toldCost, changed: fitMethod });
