for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0];
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const at = head.cellIndex, down = head.ariaSort !== "descending" && "n" in head.dataset || head.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.ariaSort = down ? "descending" : "ascending";
      const number = "n" in head.dataset;
      const key = row => { const c = row.cells[at], v = c.dataset.v; return number ? (v === undefined ? NaN : +v) : c.textContent; };
      const order = (a, b) => number ? (isNaN(a) ? isNaN(b) ? 0 : 1 : isNaN(b) ? -1 : down ? b - a : a - b)
        : (down ? -1 : 1) * a.localeCompare(b, undefined, { numeric: true });
      body.append(...[...body.rows].map(r => [key(r), r]).sort((x, y) => order(x[0], y[0])).map(x => x[1]));
    };
  }
}
