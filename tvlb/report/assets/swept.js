// The report of a sweep that computes no tables: one figure after the other, by network and settings.

const data = JSON.parse(document.getElementById("data").textContent);
const asked = document.getElementById("figure");
const place = document.querySelector("[data-plot]");

/** Bars by network, side by side the settings in which points differ. */
function drawn() {
  const figure = data.figures[asked.value];
  const names = [...new Set(data.points.map((point) => point.settings))];
  const traces = names.map((name, number) => {
    const own = data.points.filter((point) => point.settings === name);
    const values = own.map((point) => point.values[figure.name]);
    const errors = own.map((point) => point.values[`${figure.name}_se`] ?? null);
    return {
      type: "bar",
      name: wrapped(name || "all points"),
      x: own.map((point) => literal(point.topology)),
      y: values,
      error_y: bars(values, errors, true),
      marker: { color: shade(number) },
    };
  });
  return [traces, { xaxis: { type: "category", title: { text: "network" } }, yaxis: { title: { text: literal(figure.title) } }, showlegend: names.length > 1 }];
}

watchPage();
addEventListener("beforeprint", () => {
  drawWaiting();
  redraw();
});
whenVisible(place, () => show(place, drawn));
asked.addEventListener("change", () => show(place, drawn));
for (const sorted of document.querySelectorAll("table.sortable")) makeSortable(sorted);
