// Sorting: of samples by the scores of a system, of tables by a column. Without a script the page has all, unsorted.
"use strict";

function sortSamples() {
  const [system, measure, order] = ["system", "measure", "order"].map((id) => document.getElementById(`sort-${id}`).value);
  const score = (card) => JSON.parse(card.dataset.scores)[system][measure];
  const place = (card) => Number(card.dataset.line);
  const sign = order === "best" ? -1 : 1;
  const box = document.getElementById("samples");
  const cards = [...box.children];
  cards.sort((one, other) => (order === "data" ? 0 : sign * (score(one) - score(other))) || place(one) - place(other));
  box.replaceChildren(...cards);
}

function sortTable(heading) {
  const isDown = heading.getAttribute("aria-sort") === "descending";
  for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isDown ? "ascending" : "descending");
  const column = heading.cellIndex;
  const value = (row) => {
    const text = row.cells[column].textContent;
    const number = parseFloat(text.replace(/,/g, "").replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (one, other) => (typeof one === typeof other ? (one < other ? -1 : one > other ? 1 : 0) : typeof one === "number" ? 1 : -1);
  const body = heading.closest("table").tBodies[0];
  const rows = [...body.rows].sort((one, other) => (isDown ? 1 : -1) * compare(value(one), value(other)));
  body.replaceChildren(...rows);
}

for (const control of document.querySelectorAll(".controls select")) control.addEventListener("change", sortSamples);
for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => sortTable(button.parentElement));
