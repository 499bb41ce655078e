"use strict";
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0;
  for (const table of document.querySelectorAll("table.data")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const numbers = head.classList.contains("n");
        const now = head.getAttribute("aria-sort");
        const down = now === null ? numbers : now === "ascending";
        heads.forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row, at) => [value(row, column), at, row]);
        rows.sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])) || a[1] - b[1]);
        body.append(...rows.map(row => row[2]));
      });
    });
    if (body.rows.length < 8)
      continue;
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = "rows that contain …";
    search.setAttribute("aria-label", "show only rows that contain this");
    search.addEventListener("input", () => {
      const wanted = search.value.toLowerCase();
      for (const row of body.rows)
        row.classList.toggle("hide", !row.textContent.toLowerCase().includes(wanted));
    });
    table.parentElement.before(search);
  }
})();
