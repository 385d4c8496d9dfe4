"use strict";
// What every browser of a page has alike: filters, a list in pages, arrow keys, and an address that keeps the view.
// All text of a record goes into the page as text nodes, never as markup.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Of `view`: `state`, by name what is chosen, is changed in place; `kept` are names that stand in every address.
// `sane` mends a state that an address gave; `ids` are those of all items; `selected` gives their positions in
// order; `row` the children of a list entry; `counted` says how many there are; `show` fills the detail.
function browse({ state, kept = [], sane = () => {}, ids, selected, row, counted, show: showDetail }) {
  const PAGE = 20;
  const defaults = { ...state };
  const filters = Object.keys(defaults).filter((name) => name !== "page" && name !== "item");
  const form = document.getElementById("items-filters");
  const list = document.getElementById("items-list");
  const detail = document.getElementById("items-detail");
  const position = new Map(ids.map((id, i) => [id, i]));

  function hash(of) {
    const pairs = Object.entries(of).filter(([name, value]) => kept.includes(name) || value !== defaults[name]);
    return `#${new URLSearchParams(pairs.length ? pairs : [["page", "1"]])}`;
  }

  // Section links are hashes too; only those with a "=" are views of this browser.
  function readHash() {
    if (!location.hash.includes("=")) return false;
    const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    for (const name of Object.keys(defaults)) state[name] = given[name] ?? defaults[name];
    sane();
    return true;
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
    document.getElementById("items-count").textContent = counted(found.length);
    document.getElementById("items-page").textContent = `page ${page} of ${pagesOf(found)}`;
    document.getElementById("items-previous").disabled = page === 1;
    document.getElementById("items-next").disabled = page === pagesOf(found);
  }

  function show() {
    for (const name of filters) if (form.elements[name].value !== state[name]) form.elements[name].value = state[name];
    const found = selected();
    const shown = position.get(state.item) ?? found[(pageOf(found) - 1) * PAGE];
    showList(found, shown);
    showDetail(shown);
  }

  function change(changes) {
    Object.assign(state, { page: "1", item: "" }, changes);
    location.replace(hash(state));
    show();
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
    const links = [...list.querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  addEventListener("hashchange", () => {
    if (location.hash === hash(state) || !readHash()) return;
    const focused = list.contains(document.activeElement) ? [...list.querySelectorAll("a")].indexOf(document.activeElement) : -1;
    show();
    if (focused >= 0) {
      list.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
      if (matchMedia("(max-width: 60rem)").matches) detail.scrollIntoView();
    }
  });
  const linked = readHash();
  show();
  if (linked) form.closest("section").scrollIntoView();
}
