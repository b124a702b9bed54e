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
export function asNumber(text) {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

/** A seed, which may be beyond what JavaScript counts exactly. */
export function asSeed(text) {
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

  changed();
  if (body() !== null) check();
}

/** What `fetch` throws says nothing; what a form throws tells what is wrong with it. */
function saidBy(error) {
  return error instanceof TypeError ? "The service does not answer." : error.message;
}
