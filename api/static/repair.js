// The form for a repair of the table that the page shows.

import { askWith, duration, line, parsed } from "./asking.js";

const form = document.getElementById("repair");
const { id } = JSON.parse(document.getElementById("data").textContent);

/** The request, null without failures. */
function body() {
  const text = form.elements.without.value.trim();
  if (text === "") return null;
  const { rebalance, strike_only, vc_count, vcs } = form.elements;
  const asked = { table: id, without: parsed(text, "The failures are") };
  if (rebalance) return JSON.stringify({ ...asked, rebalance: Number(rebalance.value) });
  return JSON.stringify({
    ...asked,
    strike_only: strike_only.checked,
    vc_count: vc_count.value === "" ? null : Number(vc_count.value),
    vcs: vcs.value || null,
  });
}

/** What an estimate says. */
function told(found) {
  if (found.known) return [line("Already computed: the answer comes at once.")];
  return [line(`About ${duration(found.cost.cpu_seconds)} of processor time.`)];
}

askWith(form, { path: "/v1/repairs", body, told });
