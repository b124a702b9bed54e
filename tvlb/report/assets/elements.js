// Elements of the page. Texts are set as texts, never as HTML.

/** Return a new element; children are elements or texts, and null for none. */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

/** Return a table: columns are [title, is a number], rows lists of [content, class] or content. */
function table(caption, columns, rows, chosen = () => false) {
  const kind = (index) => (columns[index][1] ? "number" : null);
  const head = columns.map(([title], index) => element("th", { scope: "col", class: kind(index) }, title));
  const body = rows.map((cells, number) =>
    element(
      "tr",
      { class: chosen(number) ? "chosen" : null },
      cells.map((content, index) =>
        element(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: kind(index) }, content),
      ),
    ),
  );
  return element(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      null,
      element("caption", null, caption),
      element("thead", null, element("tr", null, head)),
      element("tbody", null, body),
    ),
  );
}

/** Return a list of facts: [name, value, remark] each. */
function facts(entries) {
  return element(
    "dl",
    { class: "facts" },
    entries.map(([name, value, remark]) =>
      element(
        "div",
        null,
        element("dt", null, name),
        element("dd", null, value, remark ? element("small", null, remark) : null),
      ),
    ),
  );
}

/** Return a figure whose plot is drawn when it comes into view. */
function figure(id, title, caption, draw, kind = "plot") {
  const plot = element("div", { class: kind });
  whenVisible(plot, () => show(plot, draw));
  return element(
    "figure",
    { "aria-labelledby": id },
    element("h3", { id }, title),
    plot,
    element("figcaption", null, caption),
  );
}

const waiting = new Map();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) drawNow(entry.target);
  },
  { rootMargin: "300px" },
);

/** Call `draw` once, as soon as the place can be seen. */
function whenVisible(place, draw) {
  waiting.set(place, draw);
  watcher.observe(place);
}

function drawNow(place) {
  const draw = waiting.get(place);
  waiting.delete(place);
  watcher.unobserve(place);
  draw?.();
}

/** Draw what was not in view yet, but is going to be printed. */
function drawWaiting() {
  for (const place of [...waiting.keys()]) if (place.offsetParent !== null) drawNow(place);
}

/** Forget the figures in a part of the page that is going to be removed. */
function forget(part) {
  forgetIn(part);
  for (const place of [...waiting.keys()]) if (part.contains(place)) waiting.delete(place);
}
