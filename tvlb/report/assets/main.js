// Which page is shown: the overview, or that of a size after #size=.

const overview = document.getElementById("overview");
const sizeView = document.getElementById("size");
const title = document.title;
let overviewScroll = 0;
let shownName = null;

function route() {
  const hash = location.hash.slice(1).replaceAll("%2C", ",");
  const asked = /^size=([^&]*)(?:&point=(\d+))?$/.exec(hash);
  if (asked) showSize(asked[1], asked[2]);
  else showOverview(hash);
}

function showSize(name, point) {
  if (shownName !== name) {
    forget(sizeView);
    sizeView.replaceChildren(sizePage(name) ?? missing(name));
    shownName = name;
  }
  overview.hidden = true;
  sizeView.hidden = false;
  document.title = `${data.sizes[name]?.title ?? name}: ${title}`;
  const section = point === undefined ? null : document.getElementById(`point-${point}`);
  const heading = section ?? sizeView.querySelector("h1");
  heading.focus({ preventScroll: true });
  if (section) section.scrollIntoView();
  else scrollTo(0, 0);
}

function missing(name) {
  return element(
    "article",
    null,
    element("h1", { tabindex: "-1" }, "No such size"),
    element("p", null, `This report has no network of size ${name}. `, element("a", { href: "#points" }, "All points")),
  );
}

function showOverview(hash) {
  const wasHidden = overview.hidden;
  overview.hidden = false;
  sizeView.hidden = true;
  document.title = title;
  const target = hash ? document.getElementById(hash) : null;
  if (wasHidden && (target === null || target === overview)) {
    overview.querySelector("h1").focus({ preventScroll: true });
    scrollTo(0, target === overview ? 0 : overviewScroll);
  } else if (wasHidden) {
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView();
  }
  redraw();
}

addEventListener("scroll", () => { if (!overview.hidden) overviewScroll = scrollY; }, { passive: true });
addEventListener("hashchange", route);
watchPage();
addEventListener("beforeprint", () => {
  drawWaiting();
  redraw();
});

for (const place of overview.querySelectorAll("[data-plot]")) {
  place.classList.add("clicked");
  whenVisible(place, () => show(place, FIGURES[place.dataset.plot]));
}
for (const sorted of document.querySelectorAll("table.sortable")) makeSortable(sorted);
const multiples = document.getElementById("small-multiples");
if (multiples) smallMultiples(multiples);
route();
