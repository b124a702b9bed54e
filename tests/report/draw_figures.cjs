// Makes every declared figure without a browser: reads {page, report, asked} as JSON and writes, for each figure that is
// asked for or that the report draws, its traces and its layout.

const asked = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const document = { documentElement: {}, getElementById: () => ({ textContent: asked.data }) };
const style = () => ({ getPropertyValue: () => "#0072b2" });
class Observer { observe() {} unobserve() {} }
const told = "return { FIGURES, finished, layoutOf, ";
const names = ["document", "getComputedStyle", "IntersectionObserver", "matchMedia", "addEventListener"];
const made = (script, more) => new Function(...names, `${script}\n${told}${more} }`)(document, style, Observer, () => ({ addEventListener() {} }), () => {});

const page = made(asked.page, "curvesOf, setsOf, usageOf");
const report = made(asked.report, "modelledOf, setOf, curvesOf, usageOf, data, points");
const figures = [];

function tell(of, label, name, make) {
  try {
    const [traces, layout] = of.finished(make());
    figures.push({ label, name, traces, layout: of.layoutOf(layout) });
  } catch (error) {
    figures.push({ label, name, error: String(error.stack) });
  }
}

for (const { label, name, data, adapt } of asked.cases) {
  tell(page, label, name, () => page.FIGURES[name](adapt ? page[adapt](data) : data));
}
for (const name of Object.keys(report.FIGURES)) {
  if (name in page.FIGURES) continue;
  for (const width of [350, 600]) tell(report, `report, ${width}`, name, () => report.FIGURES[name](width, 350));
}
for (const [point, detail] of Object.entries(report.data.details)) {
  const label = `report, point ${point}`;
  tell(report, label, "probe", () => report.FIGURES.probe(report.modelledOf(report.data.probes[detail.probe])));
  tell(report, label, "candidates", () => report.FIGURES.candidates({ simulated: detail.simulated.map(report.setOf), chosen: "" }));
  tell(report, label, "latency", () => report.FIGURES.latency(report.curvesOf(detail)));
  tell(report, label, "usage", () => report.FIGURES.usage(report.usageOf(detail.usage)));
  for (const name of detail.search ? ["front", "shapes", "anytime"] : []) tell(report, label, name, () => report.FIGURES[name](detail.search));
}
process.stdout.write(JSON.stringify({ declared: Object.keys(report.FIGURES), figures }));
