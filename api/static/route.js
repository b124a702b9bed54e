// The page of a forwarding table: the network by the loads of its links.

import { showLinks } from "./links.js";

const data = JSON.parse(document.getElementById("data").textContent);
const problem = document.getElementById("links-problem");

function complain(text) {
  problem.textContent = text;
  problem.hidden = text === "";
}

const picture = await showLinks(data.url, complain, (picked) => picture.mark([picked]));
picture?.colourByUsage(true);
