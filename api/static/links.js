// The links of a table's network: their picture and their usage.

import { NetworkPicture } from "./network.js";
import { problemOf } from "./page.js";
import * as plots from "./plots.js";

/** Read a resource; tells what went wrong and returns null if it cannot be read. */
export async function read(url, complain) {
  try {
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    if (answer.ok) return await answer.json();
    complain(await problemOf(answer));
  } catch {
    complain("The service does not answer.");
  }
  return null;
}

/** Read the links of a result, draw their usage and return their picture; null if they cannot be read. */
export async function showLinks(url, complain, pick) {
  const links = await read(`${url}/links`, complain);
  if (links === null) return null;
  if (links.sampled_pairs !== null) {
    document.getElementById("usage-note").textContent +=
      ` From a sample of ${links.sampled_pairs} switch pairs.`;
  }
  const picture = drawNetwork(links, pick);
  plots.plot("global-heat", "global-heat", links);
  if (links.first_global_link > 0) plots.plot("local-heat", "local-heat", links);
  else tellWithoutGroups();
  return picture;
}

/** Draw links that were read, with buttons to zoom; return their picture. */
export function drawNetwork(links, pick) {
  const picture = new NetworkPicture(document.getElementById("network"), links, pick);
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => picture.zoom(Number(button.dataset.zoom)));
  }
  return picture;
}

/** Say nothing of groups where no links are in them. */
function tellWithoutGroups() {
  for (const one of document.querySelectorAll("[data-groups]")) one.hidden = true;
  for (const one of document.querySelectorAll("[data-no-groups]")) one.hidden = false;
  document.getElementById("local-heat").closest("figure").hidden = true;
  const figure = document.getElementById("global-heat").closest("figure");
  figure.querySelector("h3").textContent = "Links between switches";
  figure.querySelector("figcaption").textContent = "Busiest link from one switch to another, over the mean.";
}
