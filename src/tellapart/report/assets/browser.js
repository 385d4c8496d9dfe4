"use strict";
// What every browser of a page has alike: filters, a list in pages, arrow keys, and an address that keeps the view.
// All text of a record goes into the page as text nodes, never as markup.

const data = JSON.parse(document.getElementById("items-data").textContent);
const SIGNS = { right: "✓", part: "◐", wrong: "✗", missing: "?", open: "?" };

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function many(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

// A word with the sign of its style, so that colour is not all that tells.
function mark(style, word) {
  return make("span", { class: style }, `${SIGNS[style]} ${word}`);
}

// A cell is [style, ...children]; or text or an element alone, of which the first of a row is its heading.
function table(headings, rows, name = headings.join(", "), style = "") {
  const styleOf = (cell) => (Array.isArray(cell) ? cell[0] : "");
  const shown = (cell, at) => {
    if (Array.isArray(cell)) return make("td", { class: styleOf(cell) }, ...cell.slice(1));
    return at ? make("td", {}, cell) : make("th", { scope: "row" }, cell);
  };
  const kind = (at) => (styleOf(rows[0][at]) === "figure" ? "figure" : "");
  const head = make("tr", {}, ...headings.map((heading, at) => (heading ? make("th", { scope: "col", class: kind(at) }, heading) : make("td", {}))));
  const body = rows.map((row) => make("tr", {}, ...row.map(shown)));
  const whole = make("table", { class: style }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "scroll", role: "region", "aria-label": name, tabindex: "0" }, whole);
}

// What is chosen in the form under a name.
function chosen(name) {
  return document.getElementById("items-filters").elements[name].value;
}

// How model A and model B may stand on an item, by their scores, of which 1 is right.
const SIDES = {
  differ: (a, b) => a !== b,
  a: (a, b) => a > b,
  b: (a, b) => b > a,
  right: (a, b) => a === b && a >= 1,
  wrong: (a, b) => a === b && a < 1,
  same: (a, b) => a === b,
};

// Whether scores of A and of one of the others stand so; a score is null where it is missing.
function onSide(side, a, others) {
  return others.some((b) => (a === null || b === null ? side === "missing" : side in SIDES && SIDES[side](a, b)));
}

// Positions of the models that A is held against: the one that is chosen, or all but A.
function rivals(a) {
  const b = data.models.indexOf(chosen("other"));
  return b < 0 ? [...data.models.keys()].filter((model) => model !== a) : [b];
}

// Items go by position: `ids` are those of all; `fits` says by choice whether an item fits a value, `orders` by order
// what is sorted by, and `text` where a search looks, in lower case; `row` gives the children of a list entry and
// `show` those of the detail.
function browse({ ids, fits, orders, text, row, show, counted }) {
  const PAGE = 20;
  const form = document.getElementById("items-filters");
  const list = document.getElementById("items-list");
  const detail = document.getElementById("items-detail");
  const section = form.closest("section");
  const { noun } = form.dataset;
  const controls = [...form.elements].filter((control) => control.name);
  const defaults = Object.fromEntries(controls.map((control) => [control.name, control.options?.[0]?.value ?? ""]));
  const kept = controls.map((control) => control.name).filter((name) => defaults[name]);
  Object.assign(defaults, { page: "1", item: "" });
  const state = { ...defaults };
  const position = new Map(ids.map((id, i) => [id, i]));
  let unknown = [];
  let byArrow = false;

  function hash(of) {
    const pairs = Object.entries(of).filter(([name, value]) => kept.includes(name) || value !== defaults[name]);
    return `#${new URLSearchParams(pairs.length ? pairs : [["page", "1"]])}`;
  }

  // Section links are hashes too; only those with a "=" are views of this browser.
  function readHash() {
    if (!location.hash.includes("=")) return false;
    const folded = section.querySelector(":scope > details:not(.block)");
    if (folded) folded.open = true;
    const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    unknown = Object.keys(given).filter((name) => !(name in defaults));
    for (const name of Object.keys(defaults)) state[name] = given[name] ?? defaults[name];
    for (const { name, options } of controls) {
      if (!options || [...options].some(({ value }) => value === state[name])) continue;
      unknown.push(`${name}=${state[name]}`);
      state[name] = defaults[name];
    }
    if (state.item && !position.has(state.item)) unknown.push(`item=${state.item}`);
    return true;
  }

  function selected() {
    const limits = Object.entries(fits).filter(([name]) => state[name]);
    const q = state.q.trim().toLowerCase();
    const found = ids.flatMap((_, i) => (limits.every(([name, fit]) => fit(i, state[name])) && (!q || text(i).includes(q)) ? [i] : []));
    const order = orders[state.sort];
    if (!order) return found;
    const keys = new Map(found.map((i) => [i, order(i)]));
    return found.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
  }

  function pagesOf(found) {
    return Math.max(1, Math.ceil(found.length / PAGE));
  }

  function pageOf(found) {
    return Math.min(Math.max(1, Number.parseInt(state.page, 10) || 1), pagesOf(found));
  }

  function showList(found, shown) {
    const page = pageOf(found);
    const rows = found.slice((page - 1) * PAGE, page * PAGE).map((i) => {
      const link = make("a", { href: hash({ ...state, page: String(page), item: ids[i] }) }, ...row(i));
      if (i === shown) link.setAttribute("aria-current", "true");
      return make("li", {}, link);
    });
    list.replaceChildren(...rows);
    list.start = (page - 1) * PAGE + 1;
    document.getElementById("items-count").textContent = counted?.(found.length) ?? `${many(found.length, noun)} of ${ids.length}`;
    document.getElementById("items-page").textContent = `page ${page} of ${pagesOf(found)}`;
    document.getElementById("items-previous").disabled = page === 1;
    document.getElementById("items-next").disabled = page === pagesOf(found);
  }

  // What the address has and the page has not is said, with a way back to all items.
  function trouble(found) {
    const parts = [];
    if (unknown.length) parts.push(`The address has what this page does not know: ${unknown.join(", ")}.`);
    if (!found.length) parts.push(`No ${noun} fits these filters.`);
    if (!parts.length) return [];
    const button = make("button", { type: "button" }, `Show all ${noun}s`);
    button.addEventListener("click", () => change(defaults));
    return [make("p", { class: "trouble" }, `${parts.join(" ")} `, button)];
  }

  function showAll() {
    for (const control of controls) if (control.value !== state[control.name]) control.value = state[control.name];
    const found = selected();
    const shown = position.get(state.item) ?? found[(pageOf(found) - 1) * PAGE];
    showList(found, shown);
    document.getElementById("items-trouble").replaceChildren(...trouble(found));
    detail.replaceChildren(...(shown === undefined ? [] : show(shown)));
  }

  function change(changes) {
    unknown = [];
    Object.assign(state, { page: "1", item: "" }, changes);
    location.replace(hash(state));
    showAll();
  }

  function turn(by) {
    change({ page: String(pageOf(selected()) + by) });
  }

  form.addEventListener("input", (event) => change({ [event.target.name]: event.target.value }));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("items-previous").addEventListener("click", () => turn(-1));
  document.getElementById("items-next").addEventListener("click", () => turn(1));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = () => [...list.querySelectorAll("a")];
    const to = links().indexOf(document.activeElement) + step;
    event.preventDefault();
    if (links()[to]) {
      links()[to].focus();
      byArrow = true;
      location.replace(links()[to].hash);
    } else if (!document.getElementById(step > 0 ? "items-next" : "items-previous").disabled) {
      turn(step);
      links().at(step > 0 ? 0 : -1).focus();
    }
  });
  addEventListener("hashchange", () => {
    if (location.hash === hash(state) || !readHash()) return;
    const walked = byArrow;
    byArrow = false;
    const focused = list.contains(document.activeElement) ? [...list.querySelectorAll("a")].indexOf(document.activeElement) : -1;
    showAll();
    if (focused >= 0) {
      list.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
      if (!walked && matchMedia("(max-width: 60rem)").matches) detail.scrollIntoView();
    } else if (!section.contains(document.activeElement)) {
      // Somebody came from elsewhere on the page, such as from a pair of models.
      section.scrollIntoView();
      list.querySelector("a")?.focus({ preventScroll: true });
    }
  });
  const linked = readHash();
  showAll();
  if (linked) section.scrollIntoView();
}
