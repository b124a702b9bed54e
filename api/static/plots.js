// The figures of a page: those of the report, drawn as soon as it is there.

import { FIGURES } from "./report/figures.js";
import { colour, show, watchPage } from "./report/looks.js";

export { colour };

/** Draw a figure, and again when the colours or the width of the page change. */
export function plot(id, figure, data) {
  show(document.getElementById(id), () => FIGURES[figure](data));
}

/** Latency against load of one or several tables, [name, table data] pairs, as their figure takes it. */
export function curvesOf(tables) {
  return tables.flatMap(([name, data], number) =>
    Object.entries(data.curves).map(([expression, points]) => {
      const conventional = expression === data.simulated[0].expression;
      const label = `${data.labels[expression] ?? expression}${conventional ? " (conventional)" : ""}`;
      return { name: name ? `${name}: ${label}` : label, conventional, number, points };
    }),
  );
}

/** What a table's figures take. */
export function setsOf(data) {
  return { chosen: data.chosen, simulated: data.simulated.map((one) => ({ ...one, label: data.labels[one.expression] })) };
}

export function usageOf(data) {
  return Object.entries(data.balance).map(([kind, of]) => ({ kind, ...of }));
}

watchPage();
