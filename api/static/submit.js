// The form for a new table: every change is checked by the service, which also tells the cost.

import { problemOf } from "./page.js";

const form = document.getElementById("request");
const problem = document.getElementById("problem");
const estimate = document.getElementById("estimate");
const NUMBERS = ["seed", "tolerance", "finalists", "data_points", "simulated_patterns"];
const WINDOWS = ["screening", "confirmation"];
const CHECK_MILLISECONDS = 400;
let latest = 0;

function body() {
  const given = new FormData(form);
  const found = { topology: given.get("topology").trim(), routing: given.get("routing") };
  const patterns = given.get("patterns").trim();
  found.patterns = /^[0-9]+$/.test(patterns) ? Number(patterns) : patterns;
  for (const name of NUMBERS) found[name] = asNumber(given.get(name));
  for (const name of WINDOWS) {
    const [warmup, measured, grid] = given.get(name).split(",").map(asNumber);
    found[name] = { warmup, measured, grid };
  }
  found.balance = given.has("balance");
  // Numbers beyond what JavaScript counts exactly keep their digits.
  const seed = given.get("seed").trim();
  const text = JSON.stringify(found);
  return /^[0-9]+$/.test(seed) ? text.replace(/"seed":[^,}]+/, `"seed":${BigInt(seed)}`) : text;
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

if (form.elements.topology.value) check();
