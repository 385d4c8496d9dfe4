// What every view is made of: elements, calls to the server, addresses, tables, and showing a view.
import { FORMS, download } from "/assets/export.js";

export const token = new URLSearchParams(location.search).get("token") ?? "";
export const main = document.getElementById("main");
export const state = document.getElementById("state");
const trail = document.getElementById("trail");

// Text is only ever set as text: nothing that a run holds becomes markup.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export async function call(path, parameters = new URLSearchParams(), options = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}?${parameters}`, { ...options, headers: { "X-Tellapart-Token": token, ...options.headers } });
  } catch { throw new Error("The server has ended. Start it again with 'tellapart view', and open the address that it prints."); }
  const body = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw new Error(body.error);
  return body;
}

export function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path, query: new URLSearchParams(query) };
}

export function address(path, parameters) {
  const text = new URLSearchParams([...parameters].filter(([, value]) => value !== "")).toString();
  return `#/${path}${text ? `?${text}` : ""}`;
}

// A copy of parameters with some replaced; null takes one away, a list sets it several times.
export function changed(query, changes) {
  const copy = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    copy.delete(name);
    for (const one of value === null ? [] : [value].flat()) copy.append(name, one);
  }
  return copy;
}

export const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
export const signed = (text) => text.replace("-", "−");
export const words = (text) => text.replaceAll("_", " ");

export function figure(value, rates, digits = 1) {
  if (value === null || value === undefined) return "–";
  return signed(rates ? `${(100 * value).toFixed(digits)}` : Number(value.toPrecision(3)).toString());
}

export function choose(label, options, value, change) {
  const select = make("select", { onchange: () => change(select.value) }, options.map(([key, text]) => make("option", { value: key, selected: key === value }, text)));
  select.value = value;
  return make("label", {}, label, select);
}

// Buttons that save rows in each form; what is long in coming says so meanwhile.
export function saving(name, title, heads, rows) {
  return Object.entries(FORMS).map(([ending, form]) => make("button", { onclick: async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    try { download(`${name}.${ending}`, new Blob([form.text(title(), heads(), await rows())], { type: form.type })); } catch (error) { state.textContent = error.message; } finally { button.disabled = false; }
  } }, form.word));
}

export function table(caption, heads, rows, attributes = {}) {
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", attributes, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col", class: head.class }, head.text ?? head)))),
      make("tbody", {}, rows)));
}

// Content that is opened on demand.
export function fold(title, ...content) {
  const inside = content.flat(Infinity).filter(Boolean);
  return inside.length > 0 && make("details", { class: "fold" }, make("summary", {}, make("h2", {}, title)), inside);
}

// A table whose rows end in a picture of an interval, as the pages have it.
export function spansTable(spans, linkOf = () => null) {
  if (!spans) return null;
  const at = (attributes, places) => { const mark = make("i", attributes); for (const [side, place] of Object.entries(places)) mark.style.setProperty(`--${side}`, place); return mark; };
  const ground = () => [spans.band && at({ class: "band" }, { left: spans.band[0], right: 100 - spans.band[1] }), spans.rules.map((rule) => at({ class: "rule" }, { left: rule }))];
  const number = (place) => (spans.columns[place].numeric ? "number" : null);
  const rows = spans.rows.map((row) => make("tr", {},
    row.cells.map((cell, place) => {
      const text = cell.strong ? make("strong", {}, cell.text) : cell.text, link = cell.link && linkOf(cell.link);
      return make(place ? "td" : "th", { scope: place ? null : "row", class: number(place) }, link ? make("a", { href: link }, text) : text);
    }),
    make("td", { class: "track", "aria-hidden": "true" }, ground(), row.ends && at({ class: "reach" }, { left: row.ends[0], right: 100 - row.ends[1] }), row.value !== null && at({ class: `mark${row.strong ? " strong" : ""}` }, { left: row.value }))));
  const axis = make("td", { class: "track" }, spans.ticks.map(([place, text]) => { const tick = make("span", {}, text); tick.style.setProperty("--left", place); return tick; }));
  const block = make("div", { class: "spans", id: `table-${spans.name}` }, make("h2", {}, spans.title),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": spans.title }, make("table", { "aria-label": spans.title },
      make("thead", {}, make("tr", {}, spans.columns.map((column, place) => make("th", { scope: "col", class: number(place) }, column.title)), make("td", { class: "track" }))),
      make("tbody", {}, rows), make("tfoot", { "aria-hidden": "true" }, make("tr", {}, make("td", { colspan: spans.columns.length }), axis)))),
    spans.note && make("p", { class: "muted" }, spans.note));
  block.style.setProperty("--letters", `${spans.letters}ch`);
  return block;
}

// What a control is called; the same control is the same after a redraw.
export function called(element) {
  const label = element.closest("label");
  const text = element.getAttribute("aria-label") ?? (label ? (label.firstChild.nodeType === Node.TEXT_NODE ? label.firstChild.textContent : label.textContent) : element.textContent);
  return `${element.tagName} ${text.replace(/ [▾▴]$/, "")}`;
}

export function show(title, steps, ...content) {
  const isSame = document.title === `${title} · tellapart view`;
  const focused = main.contains(document.activeElement) && document.activeElement !== main ? called(document.activeElement) : null;
  const open = [...main.querySelectorAll("details")].map((one) => one.open), left = [...main.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  document.title = `${title} · tellapart view`;
  trail.replaceChildren(...steps.flatMap(([text, link], at) => [at ? " › " : "", link ? make("a", { href: link }, text) : text]));
  main.replaceChildren(...content.flat(Infinity).filter(Boolean));
  if (isSame) {
    main.querySelectorAll("details").forEach((one, at) => { one.open = open[at] ?? false; });
    main.querySelectorAll(".scroll").forEach((one, at) => { one.scrollLeft = left[at] ?? 0; });
  }
  if (focused) [...main.querySelectorAll("a, button, input, select, textarea")].find((one) => called(one) === focused)?.focus({ preventScroll: true });
}

export function failed(error) {
  main.replaceChildren(make("p", { class: "error", role: "alert" }, error.message), make("p", {}, make("a", { href: "#/" }, "All runs")));
  state.textContent = "";
}
