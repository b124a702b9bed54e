// Forms that ask the service for something: every change is checked by it, and it tells the cost.

import { problemOf } from "./page.js";

const CHECK_MILLISECONDS = 400;

/** Seconds in words. */
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** A paragraph. */
export function line(text) {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}

/** The lines of a text that are not empty. */
export function lines(text) {
  return text.split("\n").map((one) => one.trim()).filter((one) => one !== "");
}

/** The number that a text is, else the text, of which the service will say what is wrong. */
function asNumber(text) {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

/** A seed, which may be beyond what JavaScript counts exactly. */
function asSeed(text) {
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : asNumber(text);
}

/** The values that a text is as JSON; `what` begins the complaint where it is none. */
export function parsed(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} no JSON: ${error.message}`);
  }
}

// What files hold that were chosen or pasted, by what fields call them.
const held = new Map();

function hold(field, name, text) {
  if (field.dataset.input === "json") field.value = text;
  else {
    held.set(name, text);
    const others = lines(field.value).filter((one) => one !== name);
    field.value = field.tagName === "TEXTAREA" ? [...others, name].join("\n") : name;
  }
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Take files that are chosen, and texts of several lines that are pasted. */
function holdFiles(form) {
  form.addEventListener("change", async ({ target }) => {
    const field = form.elements[target.dataset.into];
    for (const file of target.files ?? []) hold(field, file.name, await file.text());
  });
  form.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trim();
    const { input } = event.target.dataset;
    const isFile = text.includes("\n") && (input === "network" || (["pattern", "traffic"].includes(input) && text.startsWith("#")));
    if (!isFile) return;
    event.preventDefault();
    hold(event.target, "pasted text", text);
  });
}

function network(text) {
  if (held.has(text)) return { file: text, content: held.get(text) };
  return text.startsWith("{") ? parsed(text, "The network is") : text;
}

const pattern = (text) => held.get(text) ?? text;

/** A pattern with its share: only what stands before the last colon may be the name of a file. */
function shared(text) {
  const [, name, share = ""] = /^(.*?)( *:[^:]*)?$/.exec(text);
  return held.has(text) ? held.get(text) : held.has(name) ? `${held.get(name)}${share.trim()}` : text;
}

function windows(text) {
  const [warmup, measured, grid, ...more] = text.split(",").map(asNumber);
  return grid === undefined || more.length ? text : { warmup, measured, grid };
}

/** Amounts by name, `fixed = 800, per_port = 220`. */
function amounts(text) {
  return Object.fromEntries(
    text.split(",").map((one) => {
      const [name, value = ""] = one.split("=");
      return [name.trim(), asNumber(value)];
    }),
  );
}

const READ = {
  text: (text) => text,
  number: (text) => (/^-?[0-9]+$/.test(text) ? asSeed(text) : asNumber(text)),
  numbers: (text) => text.split(",").map((one) => READ.number(one.trim())),
  json: (text, name) => parsed(text, name === "without" ? "The failures are" : `${name} is`),
  amounts,
  traffic: (text) => lines(text).map(shared),
  networks: (text) => lines(text).map(network),
  lines,
  texts: (text) => (lines(text).length === 1 ? lines(text)[0] : lines(text)),
  values: (text) => {
    const found = lines(text).map((one) => (one === "true" ? true : one === "false" ? false : READ.number(one)));
    return found.length === 1 ? found[0] : found;
  },
  network,
  pattern,
  windows,
};

/**
 * The values of the fields in an element, null where what is needed is missing; what is empty is left to the service.
 *
 * A name with dots is that of a value in others.
 */
export function valuesOf(element) {
  const found = {};
  for (const field of element.querySelectorAll("[data-input]:not(:disabled)")) {
    const { input } = field.dataset;
    const names = field.name.split(".");
    const last = names.pop();
    const text = field.value.trim();
    if (text === "" && field.required) return null;
    if (text === "" || (input === "choices" && !field.checked)) continue;
    const inner = names.reduce((outer, name) => (outer[name] ??= {}), found);
    if (input === "check") inner[last] = field.checked;
    else if (input === "choices") (inner[last] ??= []).push(field.value);
    else inner[last] = READ[input](text, field.name);
  }
  return found;
}

/** The request of a form as JSON, null where what is needed is missing. */
export function requestOf(form) {
  const found = valuesOf(form);
  // A form where nothing alone is needed needs something.
  if (found === null || Object.values(found).every((value) => value === false)) return null;
  const { without, ...request } = found;
  if (without !== undefined) request.topology = { network: request.topology, without };
  return asJson(request);
}

/** A request as JSON; seeds keep their digits. No form takes the mark that they have meanwhile. */
export function asJson(request) {
  const marked = JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `\0${value}` : value));
  return marked.replace(/"\\u0000(-?[0-9]+)"/g, "$1");
}

/** What an estimate says of cost and command. */
export function toldCost(found) {
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

/**
 * Make a form ask.
 *
 * `path` is where its request goes; `body` returns that as JSON, or null where the form is empty;
 * `told` returns the elements that show an estimate; `changed` hears of every change first.
 */
export function askWith(form, { path, body, told, changed = () => {} }) {
  const problem = document.getElementById("problem");
  const estimate = document.getElementById("estimate");
  let latest = 0;
  let timer = 0;

  const ask = (query) => fetch(`${path}${query}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: body() });

  function refuse(text) {
    problem.textContent = text;
    problem.hidden = text === "";
    estimate.hidden = true;
  }

  async function check() {
    const mine = ++latest;
    try {
      if (body() === null) return refuse("");
      const answer = await ask("?validate_only=true");
      const found = answer.ok ? await answer.json() : await problemOf(answer);
      if (mine !== latest) return;
      refuse(answer.ok ? "" : found);
      if (!answer.ok) return;
      estimate.replaceChildren(...told(found));
      estimate.hidden = false;
    } catch (error) {
      if (mine === latest) refuse(saidBy(error));
    }
  }

  form.addEventListener("input", () => {
    changed();
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
      const label = form.elements.label.value.trim();
      const answer = await ask(label ? `?label=${encodeURIComponent(label)}` : "");
      if (!answer.ok) return refuse(await problemOf(answer));
      const found = await answer.json();
      location.assign(found.url.replace("/v1", ""));
    } catch (error) {
      refuse(saidBy(error));
    } finally {
      button.disabled = false;
    }
  });

  holdFiles(form);
  changed();
  if (body() !== null) check();
}

/** What `fetch` throws says nothing; what a form throws tells what is wrong with it. */
function saidBy(error) {
  return error instanceof TypeError ? "The service does not answer." : error.message;
}
