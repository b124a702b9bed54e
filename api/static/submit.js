// The form for a new table: every change is checked by the service, which also tells the cost.

import { problemOf } from "./page.js";

const form = document.getElementById("request");
const problem = document.getElementById("problem");
const estimate = document.getElementById("estimate");
const NUMBERS = ["seed", "tolerance", "finalists", "data_points", "simulated_patterns"];
const NUMBERS_OR_WORDS = ["patterns", "budget"];
const WINDOWS = ["screening", "confirmation"];
const CHECK_MILLISECONDS = 400;
let latest = 0;

/** The request; what is empty or has no meaning for the method is left to the service. */
function body() {
  const given = new FormData(form);
  const text = (name) => (given.get(name) ?? "").trim();
  const found = { topology: text("topology"), routing: text("routing"), method: text("method") };
  if (text("objective") !== "") found.objective = text("objective");
  for (const name of NUMBERS) if (text(name) !== "") found[name] = asNumber(text(name));
  for (const name of NUMBERS_OR_WORDS) {
    if (text(name) !== "") found[name] = /^[0-9]+$/.test(text(name)) ? Number(text(name)) : text(name);
  }
  for (const name of WINDOWS) {
    if (text(name) === "") continue;
    const [warmup, measured, grid] = text(name).split(",").map(asNumber);
    found[name] = { warmup, measured, grid };
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

function ask(query) {
  return fetch(`/v1/tables${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: body(),
  });
}

function show(element, visible) {
  element.hidden = !visible;
}

async function refuse(answer) {
  problem.textContent = await problemOf(answer);
  show(problem, true);
  show(estimate, false);
}

function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

async function check() {
  const mine = ++latest;
  if (form.elements.topology.value.trim() === "") {
    show(problem, false);
    show(estimate, false);
    return;
  }
  const answer = await ask("?validate_only=true");
  if (mine !== latest) return;
  if (!answer.ok) return refuse(answer);
  const found = await answer.json();
  if (mine !== latest) return;
  show(problem, false);
  const memory = Math.ceil(found.cost.memory_bytes / 2 ** 20);
  const cost = found.known
    ? "Known already: the answer comes at once."
    : `About ${duration(found.cost.cpu_seconds)} of processor time and ${memory} MiB.`;
  estimate.replaceChildren(line(cost), command(found.command));
  show(estimate, true);
}

function line(text) {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
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

let timer = 0;
form.addEventListener("input", () => {
  fitMethod();
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_MILLISECONDS);
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  clearTimeout(timer);
  latest++;
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  try {
    const answer = await ask("");
    if (!answer.ok) return await refuse(answer);
    const found = await answer.json();
    location.assign(found.url.replace("/v1", ""));
  } catch {
    problem.textContent = "The service does not answer.";
    show(problem, true);
  } finally {
    button.disabled = false;
  }
});

fitMethod();
if (form.elements.topology.value) check();
