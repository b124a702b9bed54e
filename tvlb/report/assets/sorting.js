// Tables that are sorted by a click on the title of a column.

function makeSortable(sorted) {
  const titles = [...sorted.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    const button = element("button", { type: "button" }, title.textContent);
    title.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = title.getAttribute("aria-sort") === "ascending";
      for (const other of titles) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortRows(sorted.tBodies[0], column, descending ? -1 : 1);
    });
  });
}

function sortRows(body, column, direction) {
  const keyed = [...body.rows].map((row) => [sortKey(row.cells[column]), row]);
  keyed.sort(([one], [other]) => {
    // What does not exist is last in both directions.
    if (one === null || other === null) return (one === null) - (other === null);
    return direction * (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "en", { numeric: true }));
  });
  body.append(...keyed.map(([, row]) => row));
}

function sortKey(cell) {
  const text = cell.dataset.sort ?? cell.textContent.trim();
  if (text === "") return null;
  return cell.classList.contains("number") ? Number(text) : text;
}
