// The network as a ring of groups, each a ring of switches, with the paths of a pair on top.

import { colour } from "./plots.js";

const REACH = 14;
const TURN = 2 * Math.PI;
// Pixels of the link that most paths take, where few links are drawn and where many are.
const WIDEST = [9, 2.5];
const FEW_LINKS = 40;
const THINNEST = 0.7;

/** Draws on a canvas; `pick` is called with the switch that was clicked. */
export class NetworkPicture {
  constructor(canvas, links, pick) {
    this.canvas = canvas;
    this.links = links;
    this.base = document.createElement("canvas");
    this.usage = false;
    this.paths = { min: [], vlb: [] };
    this.marked = [];
    this.describe = canvas.getAttribute("aria-label");
    this.cables = cablesOf(links);
    canvas.addEventListener("click", (event) => {
      const found = this.nearest(event);
      if (found !== null) pick(found);
    });
    canvas.addEventListener("mousemove", (event) => {
      const found = this.nearest(event);
      canvas.title = found === null ? "" : this.nameOf(found);
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
    const again = () => this.resize();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    matchMedia("print").addEventListener("change", again);
  }

  nameOf(node) {
    return `switch ${node}, group ${Math.floor(node / this.links.switches_per_group)}`;
  }

  /** Colour links by their use, or by their kind. */
  colourByUsage(on) {
    this.usage = on;
    this.resize();
  }

  /** Mark switches. */
  mark(switches) {
    this.marked = switches;
    this.draw();
  }

  /** Show the links {src, dst, weight} of MIN and of VLB paths between marked ends. */
  show(ends, min, vlb) {
    this.paths = { min, vlb };
    this.marked = ends;
    const shown = ends.length ? ` Drawn now: paths from ${ends.join(" to ")}.` : "";
    this.canvas.setAttribute("aria-label", this.describe + shown);
    this.draw();
  }

  resize() {
    const size = this.canvas.clientWidth;
    if (size === 0) return;
    this.size = size;
    this.scale = devicePixelRatio || 1;
    for (const one of [this.canvas, this.base]) {
      one.width = Math.round(size * this.scale);
      one.height = one.width;
    }
    this.place();
    this.drawBase();
    this.draw();
  }

  /** Put every switch at its place. */
  place() {
    const { groups, switches_per_group: inGroup } = this.links;
    const middle = this.size / 2;
    const share = groups > 1 ? Math.sin(Math.PI / groups) : 1;
    const part = 0.65 * Math.min(share, 0.5);
    const ring = (0.94 * middle) / (1 + part);
    const radius = inGroup > 1 ? part * ring : 0;
    this.dot = Math.max(1.5, Math.min(6, (2.2 * radius) / inGroup));
    this.labels = [];
    this.spots = [];
    for (let group = 0; group < groups; group++) {
      const angle = (TURN * group) / groups - Math.PI / 2;
      const x = middle + ring * Math.cos(angle);
      const y = middle + ring * Math.sin(angle);
      this.labels.push([x, y]);
      for (let number = 0; number < inGroup; number++) {
        const turn = angle + (TURN * number) / inGroup;
        this.spots.push([x + radius * Math.cos(turn), y + radius * Math.sin(turn)]);
      }
    }
  }

  nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = null;
    let least = REACH ** 2;
    this.spots?.forEach(([left, top], node) => {
      const distance = (left - x) ** 2 + (top - y) ** 2;
      if (distance < least) [best, least] = [node, distance];
    });
    return best;
  }

  /** Draw what does not change with the paths. */
  drawBase() {
    const pen = this.base.getContext("2d");
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    pen.clearRect(0, 0, this.size, this.size);
    const dense = this.cables.length > 3000;
    pen.globalAlpha = dense ? 0.35 : 0.7;
    if (this.usage) this.drawByUsage(pen);
    else this.drawByKind(pen);
    pen.globalAlpha = 1;
    pen.fillStyle = colour("switch");
    for (const [x, y] of this.spots) dot(pen, x, y, this.dot);
    pen.fillStyle = colour("text");
    pen.font = "600 13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    if (this.links.switches_per_group > 2)
      this.labels.forEach(([x, y], group) => pen.fillText(group, x, y));
  }

  drawByKind(pen) {
    for (const kind of ["local", "global"]) {
      pen.strokeStyle = colour(`${kind}-link`);
      pen.lineWidth = kind === "local" ? 0.7 : 1;
      pen.beginPath();
      for (const cable of this.cables) if (cable.kind === kind) this.trace(pen, cable.ends);
      pen.stroke();
    }
  }

  drawByUsage(pen) {
    const most = this.cables.reduce((found, cable) => Math.max(found, cable.usage), 1);
    const [low, high] = [colour("local-link"), colour("vlb")];
    for (const cable of [...this.cables].sort((a, b) => a.usage - b.usage)) {
      const share = cable.usage / most;
      pen.strokeStyle = `color-mix(in srgb, ${high} ${Math.round(100 * share ** 2)}%, ${low})`;
      pen.lineWidth = 0.5 + 2 * share ** 2;
      pen.beginPath();
      this.trace(pen, cable.ends);
      pen.stroke();
    }
  }

  /** Lay a line between two switches; between groups it bends towards the middle. */
  trace(pen, [from, to]) {
    const [x, y] = this.spots[from];
    const [left, top] = this.spots[to];
    const inGroup = this.links.switches_per_group;
    pen.moveTo(x, y);
    if (Math.floor(from / inGroup) === Math.floor(to / inGroup)) pen.lineTo(left, top);
    else {
      const middle = this.size / 2;
      pen.quadraticCurveTo((x + left + middle) / 3, (y + top + middle) / 3, left, top);
    }
  }

  draw() {
    if (!this.spots) return;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const any = this.paths.min.length + this.paths.vlb.length > 0;
    pen.globalAlpha = any ? 0.6 : 1;
    pen.drawImage(this.base, 0, 0);
    pen.globalAlpha = 1;
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    this.drawPaths(pen, this.paths.vlb, colour("vlb"), [7, 3]);
    this.drawPaths(pen, this.paths.min, colour("min"), []);
    pen.lineWidth = 2.5;
    pen.strokeStyle = colour("text");
    for (const node of this.marked) {
      const [x, y] = this.spots[node];
      pen.fillStyle = colour("ground");
      dot(pen, x, y, this.dot + 4);
      pen.stroke();
      pen.fillStyle = colour("text");
      pen.font = "600 14px system-ui, sans-serif";
      const high = y < this.size / 10;
      pen.textBaseline = high ? "top" : "bottom";
      pen.textAlign = x > this.size / 2 ? "right" : "left";
      pen.fillText(node, x, y + (high ? 1 : -1) * (this.dot + 6));
    }
  }

  drawPaths(pen, links, stroke, dash) {
    const carried = new Map();
    for (const { src, dst, weight } of links) {
      const key = `${src},${dst}`;
      carried.set(key, (carried.get(key) ?? 0) + weight);
    }
    const most = Math.max(...carried.values(), Number.MIN_VALUE);
    const [few, many] = WIDEST;
    const widest = Math.max(many, Math.min(few, few * Math.sqrt(FEW_LINKS / carried.size)));
    pen.strokeStyle = stroke;
    pen.setLineDash(dash);
    for (const [key, weight] of [...carried].sort((a, b) => a[1] - b[1])) {
      const share = weight / most;
      pen.lineWidth = THINNEST + (widest - THINNEST) * share * (dash.length ? 0.8 : 0.5);
      pen.globalAlpha = 0.35 + 0.65 * share;
      pen.beginPath();
      this.trace(pen, key.split(",").map(Number));
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
}

function dot(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.fill();
}

/** Join the two links of every cable; parallel cables are drawn once. */
function cablesOf(links) {
  const found = new Map();
  links.src.forEach((from, link) => {
    const ends = [Math.min(from, links.dst[link]), Math.max(from, links.dst[link])];
    const key = ends.join();
    const known = found.get(key) ?? { ends, usage: 0, kind: link < links.first_global_link ? "local" : "global" };
    known.usage = Math.max(known.usage, links.usage[link]);
    found.set(key, known);
  });
  return [...found.values()];
}
