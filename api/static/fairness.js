// Simulates the table and the conventional set, and draws what every switch got.

import { problemOf } from "./page.js";
import * as plots from "./plots.js";

const WINDOW = { warmup: 3000, cycles: 5000 };
const ENDED = ["succeeded", "failed", "cancelled"];
const LOOK_MILLISECONDS = 1000;

async function simulate(data, vlb, pattern, load) {
  const answer = await fetch("/v1/simulations", {
    method: "POST",
    headers: { "Content-Type": "application/json", Prefer: "wait=10" },
    body: JSON.stringify({ ...data.request, vlb, pattern, load: [load], ...WINDOW }),
  });
  if (!answer.ok) throw new Error(await problemOf(answer));
  const found = await answer.json();
  return answer.status === 202 ? finished(found) : found;
}

async function finished(job) {
  let found = job;
  while (!ENDED.includes(found.status)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    found = (await read(job.url)) ?? found;
  }
  if (found.status !== "succeeded") throw new Error(found.error?.detail ?? `the job was ${found.status}`);
  return read(found.result_url);
}

/** Read a resource; null where the service may answer later. */
async function read(url) {
  const answer = await fetch(url);
  if (answer.status === 429 || answer.status >= 500) return null;
  if (!answer.ok) throw new Error(await problemOf(answer));
  return answer.json();
}

function summary(name, run) {
  const { min, max, jain_index: jain } = run.switch_accepted;
  const index = jain === null ? "" : `, Jain's index ${jain.toFixed(4)}`;
  return `${name}: ${min.toFixed(4)} to ${max.toFixed(4)}${index}`;
}

/** Let the form simulate. */
export function fairnessForm(data) {
  const form = document.getElementById("fairness");
  const state = document.getElementById("fairness-state");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    const { pattern, load } = form.elements;
    button.disabled = true;
    state.textContent = "Simulating…";
    try {
      const runs = [];
      for (const [name, vlb] of [["this table", data.table_id], ["conventional UGAL", data.simulated[0].expression]]) {
        const found = await simulate(data, vlb, pattern.value, Number(load.value));
        runs.push([name, found.rows[0]]);
      }
      document.getElementById("fairness-result").hidden = false;
      plots.plot("fairness-plot", "switches", runs.map(([name, run]) => [name, run.switch_accepted.by_switch]));
      const text = runs.map(([name, run]) => summary(name, run)).join("; ");
      state.textContent = "";
      document.getElementById("fairness-plot").parentElement.querySelector("figcaption").textContent =
        `${pattern.value} at load ${load.value}. ${text}.`;
    } catch (error) {
      state.textContent = `Not simulated: ${error.message}`;
    } finally {
      button.disabled = false;
    }
  });
}
