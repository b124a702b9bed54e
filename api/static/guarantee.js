// The page of a guarantee: the network by the loads of its links under the worst traffic.

import { drawNetwork } from "./links.js";

const { links } = JSON.parse(document.getElementById("data").textContent);
const picture = drawNetwork(links, (picked) => picture.mark([picked]));
picture.colourByUsage(true);
