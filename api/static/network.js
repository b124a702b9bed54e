// The network as a ring of groups, each a ring of switches, or with places that its family gives, and the
// paths of a pair on top.

import { colour } from "./plots.js";

const REACH = 14;
const TURN = 2 * Math.PI;
// Pixels of the link that most paths take, where few links are drawn and where many are.
const WIDEST = [9, 2.5];
const FEW_LINKS = 40;
const THINNEST = 0.7;
// Pixels between parallel cables, and between the bends that are tried around other switches.
const APART = 7;
const BEND = 6;
const MOST_BENDS = 16;
// Between a line and a switch that it does not join; wide lines have half as much on each side.
const ROOM = 5;
// Points of a line that are held against the other switches.
const SAMPLES = 32;
// Of large networks only the paths go around switches: all cables would take seconds.
const MOST_CHECKED = 100_000;
const LARGEST_ZOOM = 12;
// Of networks without groups the switches have numbers, so many pixels away, if they are not too many.
const NUMBER_APART = 19;
const MOST_NUMBERED = 64;
const LABELS_APART = 4;

/** Draws on a canvas; `pick` is called with the switch that was clicked. */
export class NetworkPicture {
  constructor(canvas, links, pick) {
    this.canvas = canvas;
    this.links = links;
    this.base = document.createElement("canvas");
    this.usage = false;
    this.paths = { min: [], vlb: [] };
    this.marked = [];
    this.view = { zoom: 1, x: 0, y: 0 };
    this.describe = canvas.getAttribute("aria-label");
    this.cables = cablesOf(links);
    canvas.addEventListener("click", (event) => {
      const found = this.dragged ? null : this.nearest(event);
      if (found !== null) pick(found);
    });
    this.listenToMoves();
    canvas.addEventListener("mousemove", (event) => {
      const found = this.nearest(event);
      canvas.title = found === null ? "" : this.nameOf(found);
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
    const again = () => this.resize();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    matchMedia("print").addEventListener("change", again);
  }

  /** Move the zoomed picture with the pointer, and zoom with the wheel and Ctrl, or two fingers on a pad. */
  listenToMoves() {
    let last = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      last = [event.clientX, event.clientY];
      this.dragged = false;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (last === null || this.view.zoom === 1) return;
      const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      this.dragged = true;
      this.canvas.setPointerCapture(event.pointerId);
      last = [event.clientX, event.clientY];
      this.look(this.view.zoom, this.view.x + dx, this.view.y + dy);
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (last = null));
    this.canvas.addEventListener("wheel", (event) => {
      // Without the key the wheel is for the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect();
      this.zoom(2 ** (-event.deltaY / 200), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
  }

  /** Zoom by a factor around a place, by default the middle; 0 shows all. */
  zoom(factor, x = this.size / 2, y = this.size / 2) {
    const before = this.view.zoom;
    const zoom = factor === 0 ? 1 : Math.max(1, Math.min(LARGEST_ZOOM, before * factor));
    const share = zoom / before;
    this.look(zoom, x - share * (x - this.view.x), y - share * (y - this.view.y));
  }

  look(zoom, x, y) {
    // The picture stays in its frame.
    const least = this.size * (1 - zoom);
    this.view = { zoom, x: Math.min(0, Math.max(least, x)), y: Math.min(0, Math.max(least, y)) };
    this.canvas.style.touchAction = zoom > 1 ? "none" : "";
    this.due ??= requestAnimationFrame(() => {
      this.due = undefined;
      this.resize();
    });
  }

  nameOf(node) {
    const where = this.links.where[node];
    return where ? `switch ${node}, ${where}` : `switch ${node}`;
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

  /** Show the links {link, weight} of MIN and of VLB paths between marked ends. */
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
    this.bends = new Map();
    if (this.links.places.length) this.placeAsGiven();
    else this.placeInRings();
  }

  placeAsGiven() {
    const { places, labels } = this.links;
    const { zoom, x: left, y: top } = this.view;
    const seen = (x, y) => [zoom * this.size * x + left, zoom * this.size * y + top];
    this.spots = places.map(([x, y]) => seen(x, y));
    this.labels = labels.map(([x, y, text]) => [...seen(x, y), text]);
    // The next switch of the group, and the first of the next group.
    const [x, y] = this.spots[0];
    const near = [this.spots[1], this.spots[this.links.switches_per_group]];
    const least = Math.min(...near.map(([left, top]) => Math.hypot(left - x, top - y)));
    this.dot = Math.max(1.5, Math.min(6, 0.2 * least));
  }

  placeInRings() {
    const { groups, switches_per_group: inGroup } = this.links;
    const middle = this.size / 2;
    const share = groups > 1 ? Math.sin(Math.PI / groups) : 1;
    const part = 0.65 * Math.min(share, 0.5);
    const ring = Math.min((0.94 * middle) / (1 + part), inGroup > 1 ? Infinity : middle - NUMBER_APART - 10);
    const radius = inGroup > 1 ? part * ring : 0;
    const { zoom, x: left, y: top } = this.view;
    const seen = (x, y) => [zoom * x + left, zoom * y + top];
    this.dot = Math.max(1.5, Math.min(6, (2.2 * part * ring * zoom) / inGroup));
    this.middle = seen(middle, middle);
    this.labels = [];
    this.spots = [];
    for (let group = 0; group < groups; group++) {
      const angle = (TURN * group) / groups - Math.PI / 2;
      const x = middle + ring * Math.cos(angle);
      const y = middle + ring * Math.sin(angle);
      // A switch without a group has its number beside it.
      const out = inGroup > 1 ? 1 : 1 + NUMBER_APART / ring;
      this.labels.push([...seen(middle + out * (x - middle), middle + out * (y - middle)), String(group)]);
      for (let number = 0; number < inGroup; number++) {
        const turn = angle + (TURN * number) / inGroup;
        this.spots.push(seen(x + radius * Math.cos(turn), y + radius * Math.sin(turn)));
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
  }

  /** Whether every switch has its number beside it. */
  numbered() {
    const { groups, switches_per_group: inGroup } = this.links;
    return inGroup === 1 && groups <= MOST_NUMBERED;
  }

  /** Write what the family says or the numbers of the groups or, without groups, of the switches. */
  drawLabels(pen) {
    const given = this.links.labels.length > 0;
    if (!given && this.links.switches_per_group <= 2 && !this.numbered()) return;
    pen.font = "600 13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    // Those of a row from left to right, as far as they have room.
    let [end, row] = [-Infinity, null];
    for (const [x, y, text] of this.labels) {
      const half = pen.measureText(text).width / 2;
      if (given && y === row && x - half < end) continue;
      write(pen, text, x, y);
      [end, row] = [x + half + LABELS_APART, y];
    }
  }

  drawByKind(pen) {
    for (const kind of ["local", "global"]) {
      pen.strokeStyle = colour(`${kind}-link`);
      pen.lineWidth = kind === "local" ? 0.7 : 1;
      pen.beginPath();
      for (const cable of this.cables) if (cable.kind === kind) this.trace(pen, cable);
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
      this.trace(pen, cable);
      pen.stroke();
    }
  }

  /** Lay the line of a cable: beside parallel ones, and around switches that it does not join. */
  trace(pen, cable, checked = this.cables.length * this.spots.length < MOST_CHECKED) {
    const key = cable.ends.join();
    let bend = this.bends.get(key);
    if (bend === undefined && checked) {
      bend = this.freeBend(cable);
      this.bends.set(key, bend);
    }
    const [[x, y], control, [left, top]] = this.curve(cable.ends, (bend ?? 0) + APART * cable.aside);
    pen.moveTo(x, y);
    pen.quadraticCurveTo(...control, left, top);
  }

  /** Ends and control point of a line, which at its middle lies so far beside its usual place. */
  curve([from, to], beside) {
    const [x, y] = this.spots[from];
    const [left, top] = this.spots[to];
    const inGroup = this.links.switches_per_group;
    const within = Math.floor(from / inGroup) === Math.floor(to / inGroup);
    const long = Math.hypot(left - x, top - y) || 1;
    // Between groups on a ring lines bend towards the middle of the picture.
    const [near, far] = within || this.links.places.length ? [(x + left) / 2, (y + top) / 2] : [(x + left + this.middle[0]) / 3, (y + top + this.middle[1]) / 3];
    const reach = 2 * beside;
    return [[x, y], [near - (reach * (top - y)) / long, far + (reach * (left - x)) / long], [left, top]];
  }

  /** The smallest bend with which parallel cables keep clear of all switches but their ends, or the clearest. */
  freeBend({ ends, spread }) {
    let clearest = 0;
    let most = -Infinity;
    for (let step = 0; step <= 2 * MOST_BENDS; step++) {
      const bend = (step % 2 ? 1 : -1) * Math.ceil(step / 2) * BEND;
      const room = Math.min(this.clearance(ends, bend - spread), this.clearance(ends, bend + spread));
      if (room >= ROOM) return bend;
      if (room > most) [clearest, most] = [bend, room];
    }
    return clearest;
  }

  /** Pixels between a line and the nearest switch that it does not join. */
  clearance(ends, bend) {
    const [[x, y], [near, far], [left, top]] = this.curve(ends, bend);
    let least = Infinity;
    for (let sample = 1; sample < SAMPLES; sample++) {
      const t = sample / SAMPLES;
      const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
      const [px, py] = [a * x + b * near + c * left, a * y + b * far + c * top];
      this.spots.forEach(([sx, sy], node) => {
        if (node !== ends[0] && node !== ends[1]) least = Math.min(least, (sx - px) ** 2 + (sy - py) ** 2);
      });
    }
    return Math.sqrt(least) - this.dot;
  }

  /** The cable of a link, so that its line is that of the picture. */
  cableOf(link) {
    return this.cables[this.links.cable[link]];
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
    this.drawLabels(pen);
    for (const node of this.marked) {
      const [x, y] = this.spots[node];
      pen.lineWidth = 2.5;
      pen.strokeStyle = colour("text");
      pen.fillStyle = colour("ground");
      dot(pen, x, y, this.dot + 4);
      pen.stroke();
      if (this.numbered()) continue;
      pen.font = "600 14px system-ui, sans-serif";
      const left = x > this.size / 2;
      pen.textBaseline = "middle";
      pen.textAlign = left ? "right" : "left";
      write(pen, node, x + (left ? -1 : 1) * (this.dot + 8), y);
    }
  }

  drawPaths(pen, links, stroke, dash) {
    const carried = new Map();
    for (const { link, weight } of links) {
      const cable = this.cableOf(link);
      carried.set(cable, (carried.get(cable) ?? 0) + weight);
    }
    const most = Math.max(...carried.values(), Number.MIN_VALUE);
    const [few, many] = WIDEST;
    const widest = Math.max(many, Math.min(few, few * Math.sqrt(FEW_LINKS / carried.size)));
    pen.strokeStyle = stroke;
    pen.setLineDash(dash);
    for (const [cable, weight] of [...carried].sort((a, b) => a[1] - b[1])) {
      const share = weight / most;
      pen.lineWidth = THINNEST + (widest - THINNEST) * share * (dash.length ? 0.8 : 0.5);
      pen.globalAlpha = 0.35 + 0.65 * share;
      pen.beginPath();
      this.trace(pen, cable, true);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
}

/** Write on whatever is drawn there. */
function write(pen, text, x, y) {
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = colour("ground");
  pen.strokeText(text, x, y);
  pen.fillStyle = colour("text");
  pen.fillText(text, x, y);
}

function dot(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.fill();
}

/** Join the two links of every cable, and say of each link which cable it is. */
function cablesOf(links) {
  const found = [];
  const between = new Map();
  const met = new Map();
  links.cable = links.src.map((from, link) => {
    const to = links.dst[link];
    const ends = [Math.min(from, to), Math.max(from, to)];
    // Links of one direction come in the order of their cables.
    const number = met.get(`${from},${to}`) ?? 0;
    met.set(`${from},${to}`, number + 1);
    const parallel = between.get(ends.join()) ?? [];
    between.set(ends.join(), parallel);
    if (number === parallel.length) {
      parallel.push(found.length);
      found.push({ ends, usage: 0, kind: link < links.first_global_link ? "local" : "global" });
    }
    const cable = found[parallel[number]];
    cable.usage = Math.max(cable.usage, links.usage[link]);
    return parallel[number];
  });
  for (const parallel of between.values()) {
    const half = (parallel.length - 1) / 2;
    parallel.forEach((cable, number) => Object.assign(found[cable], { aside: number - half, spread: APART * half }));
  }
  return found;
}
