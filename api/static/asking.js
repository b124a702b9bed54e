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
