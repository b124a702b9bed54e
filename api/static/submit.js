// The form for a new table.

import { askWith, duration, line } from "./asking.js";

const form = document.getElementById("request");
const NUMBERS = ["seed", "tolerance", "finalists", "data_points", "simulated_patterns"];
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
  const traffic = text("traffic").split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (traffic.length) found.traffic = traffic;
  found.balance = given.has("balance");
  // Numbers beyond what JavaScript counts exactly keep their digits.
  const seed = text("seed");
  const json = JSON.stringify(found);
  return /^[0-9]+$/.test(seed) ? json.replace(/"seed":[^,}]+/, `"seed":${BigInt(seed)}`) : json;
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

function asNumber(text) {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

/** What an estimate says. */
function told(found) {
  const memory = Math.ceil(found.cost.memory_bytes / 2 ** 20);
  const cost = found.known
    ? "Already computed: the answer comes at once."
    : `About ${duration(found.cost.cpu_seconds)} of processor time and ${memory} MiB.`;
  return [line(cost), command(found.command)];
}

function command(text) {
  const row = document.createElement("div");
  row.className = "command";
  const label = document.createElement("span");
  label.className = "label";
  label.textContent = "command line";
  const code = document.createElement("code");
  code.tabIndex = 0;
  code.textContent = text;
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.copy = text;
  button.textContent = "Copy";
  row.append(label, code, button);
  return row;
}

askWith(form, { path: "/v1/tables", body, told, changed: fitMethod });
