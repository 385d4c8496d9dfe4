"use strict";
// Paper cannot be clicked: whatever is folded is printed too, and folded again afterwards.
{
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

// A link to what is folded opens it; what was opened is open when the page is seen again.
{
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const around = [target?.closest("section")?.querySelector(":scope > details:not(.block)"), target?.matches("details") ? target : null];
    for (const details of around) if (details) details.open = true;
    if (target) target.scrollIntoView();
  };
  const key = (details) => `${location.pathname}#${details.parentElement.id}`;
  for (const details of document.querySelectorAll("main > section > details:not(.block)")) {
    try {
      details.open ||= sessionStorage.getItem(key(details)) === "open";
      details.addEventListener("toggle", () => sessionStorage.setItem(key(details), details.open ? "open" : ""));
    } catch {
      break;
    }
  }
  addEventListener("hashchange", unfold);
  unfold();
}

// Tables are sorted by a column, filtered by a text if they are long, and copied as CSV as they are then shown.
{
  const LONG = 8;
  const collator = new Intl.Collator("en", { numeric: true });
  const TURNS = { none: "ascending", ascending: "descending", descending: "none" };

  function textOf(cell) {
    return [...cell.childNodes].flatMap((node) => (node.nodeName === "SMALL" ? [] : [node.textContent])).join("").trim();
  }

  // A number or a text; null where a figure is undefined, which comes last in both directions.
  function keyOf(cell) {
    const text = cell.dataset.key ?? textOf(cell);
    if (text === "") return null;
    return cell.classList.contains("figure") ? Number(text) : text;
  }

  function compared(a, b) {
    return typeof a === "number" ? a - b : collator.compare(a, b);
  }

  // A picture is no column.
  function figures(row) {
    return [...row.cells].filter((cell) => !cell.classList.contains("track"));
  }

  function headsOf(table) {
    return figures(table.tHead.rows[0]);
  }

  function sort(body, rows, at, turn) {
    const keys = new Map(rows.map((row) => [row, keyOf(row.cells[at])]));
    const place = (row) => rows.indexOf(row);
    const sign = turn === "descending" ? -1 : 1;
    const order = (one, other) => {
      const [a, b] = [keys.get(one), keys.get(other)];
      if (a === null || b === null) return (a === null) - (b === null) || place(one) - place(other);
      return sign * compared(a, b) || place(one) - place(other);
    };
    body.append(...(turn === "none" ? rows : [...rows].sort(order)));
  }

  // A sheet shall see a number where one is shown, and never a formula.
  function csvField(cell, text) {
    const plain = cell.classList.contains("figure") ? text.replaceAll("−", "-").replace(/(?<=\d),(?=\d{3})/g, "").replace(/^\+(?=\d)/, "") : text;
    // Some programs separate cells at semicolons or tabs.
    const safe = /^-\d[\d.]*$/.test(plain) ? plain : plain.replace(/(?<=^|[;\t])(?=[=+@\t\r-])/g, "'");
    return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  // What stands below a figure, such as its interval, has a column of its own.
  function csv(table, rows) {
    const heads = headsOf(table);
    const detail = (cell) => [...cell.querySelectorAll("small")].map((part) => part.textContent).join("; ");
    const detailed = heads.map((_, at) => [...table.tBodies[0].rows].some((row) => detail(row.cells[at])));
    const fields = (cells, below) => cells.flatMap((cell, at) => [csvField(cell, cell.dataset.key === "" ? "" : textOf(cell)), ...(detailed[at] ? [csvField(table, below(cell))] : [])]);
    const lines = [fields(heads, (head) => `${textOf(head)}: detail`), ...rows.map((row) => fields(figures(row), detail))];
    return lines.map((line) => `${line.join(",")}\r\n`).join("");
  }

  function save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${name}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  function element(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
  }

  function copier(block, table) {
    const button = element("button", { type: "button", textContent: "Copy CSV" });
    button.addEventListener("click", async () => {
      const text = csv(table, [...table.tBodies[0].rows].filter((row) => !row.hidden));
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        save(block.id, text);
        button.textContent = "Saved";
      }
      setTimeout(() => (button.textContent = "Copy CSV"), 2000);
    });
    return button;
  }

  function filter(block, rows, title) {
    const input = element("input", { type: "search", placeholder: "Filter rows", ariaLabel: `Filter rows: ${title}`, autocomplete: "off" });
    const count = element("span", { role: "status" });
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      count.textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
      input.parentElement.classList.toggle("used", words.length > 0);
    });
    return [input, count];
  }

  for (const block of document.querySelectorAll(".block")) {
    const table = block.querySelector("table");
    const [body] = table.tBodies;
    const rows = [...body.rows];
    const heads = headsOf(table);
    heads.forEach((head, at) => {
      if (rows.length < 2 || !head.textContent.trim()) return;
      const button = element("button", { type: "button", className: "sort", title: "Sort by this column" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const turn = TURNS[head.ariaSort ?? "none"];
        for (const other of heads) other.removeAttribute("aria-sort");
        if (turn !== "none") head.ariaSort = turn;
        sort(body, rows, at, turn);
      });
    });
    const tools = element("div", { className: "tools" });
    if (rows.length > LONG) tools.append(...filter(block, rows, block.querySelector("h2, h3").textContent));
    tools.append(copier(block, table));
    block.querySelector(".scroll").before(tools);
  }
}
