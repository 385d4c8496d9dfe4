// The views. Each is the part of the address behind #, so that a link shows it again.
import { coloured } from "/assets/code.js";
import { shade } from "/assets/export.js";
import { lineChart } from "/assets/history.js";
import { labelView, labelling } from "/assets/label.js";
import { address, call, changed, choose, counted, failed, figure, fold, main, make, route, saving, show, signed, spansTable, state, table, token, words } from "/assets/kit.js";

let timer = 0;
let turn = 0;
let keys = {};

// Runs

const runs = { data: null, ticked: new Set(), sort: "changed_s", down: true };

function left(run) {
  return [[run.calls, "call"], [run.steps, "step"]].filter(([n]) => n).map(([n, noun]) => counted(n, noun)).join(", ");
}

function date(seconds) {
  return seconds === null ? "–" : new Date(1000 * seconds).toLocaleString("sv").slice(0, 16);
}

function drawRuns(query) {
  const text = query.get("text") ?? "", suite = query.get("suite") ?? "", status = query.get("status") ?? "";
  const fits = (run) => (!suite || run.suite === suite) && (!status || run.status === status) &&
    (!text || [run.path, run.verdict, ...(run.models ?? [])].join("\n").toLowerCase().includes(text.toLowerCase()));
  const key = (run) => { const value = run[runs.sort]; return Array.isArray(value) ? value.join(", ") : value ?? (typeof value === "number" ? -1 : ""); };
  const shown = runs.data.runs.filter(fits).sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (runs.down ? -1 : 1) || (a.path < b.path ? -1 : 1));
  const again = (changes) => { history.replaceState(null, "", address("", changed(query, changes))); drawRuns(route().query); };
  const among = (name) => [["", "all"], ...[...new Set(runs.data.runs.map((run) => run[name]).filter(Boolean))].sort().map((one) => [one, one])];
  const search = make("input", { type: "search", value: text, oninput: () => again({ text: search.value }) });
  const compare = make("button", { class: "first", disabled: !runs.ticked.size, onclick: () => { location.hash = address("compare", [...runs.ticked].map((id) => ["run", id])); } }, runs.ticked.size > 1 ? `Compare ${runs.ticked.size} runs` : "Open the ticked run");
  const tick = (run) => make("input", { type: "checkbox", checked: runs.ticked.has(run.id), "aria-label": `Tick ${run.path}`, onchange: (event) => { runs.ticked[event.target.checked ? "add" : "delete"](run.id); drawRuns(query); main.querySelector(`[aria-label="Tick ${CSS.escape(run.path)}"]`)?.focus(); } });
  const head = (name, text) => make("th", { scope: "col", "aria-sort": runs.sort === name ? (runs.down ? "descending" : "ascending") : null },
    make("button", { onclick: () => { runs.down = runs.sort === name ? !runs.down : name === "changed_s"; runs.sort = name; drawRuns(query); } }, text, runs.sort === name ? (runs.down ? " ▾" : " ▴") : ""));
  const can = (run) => !run.error && run.has_scores;
  const some = (names) => (names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", "));
  // The latest run of an evaluation leads to its history.
  const together = Map.groupBy(runs.data.runs.filter((run) => run.evaluation), (run) => run.evaluation);
  const isLatest = (run) => together.get(run.evaluation)?.every((other) => other.changed_s < run.changed_s || (other.changed_s === run.changed_s && other.path <= run.path));
  const historyOf = (run) => { const n = together.get(run.evaluation)?.length ?? 0; return n > 2 && isLatest(run) && [" · ", make("a", { href: address("history", [["run", run.id]]), "aria-label": `History of ${run.path}` }, `history of ${n.toLocaleString("en")} runs`)]; };
  const rows = shown.map((run) => make("tr", {},
    make("td", {}, can(run) ? tick(run) : ""),
    make("td", { class: "long" }, can(run) ? make("a", { href: address("compare", [["run", run.id]]) }, run.path) : run.path, make("div", { class: "muted" }, [run.suite || "scores", date(run.changed_s)].join(" · "), historyOf(run))),
    make("td", { class: "long" }, some(run.models ?? []) || "–"),
    make("td", { class: "number" }, run.items?.toLocaleString("en") ?? "–"),
    make("td", { class: "long" }, run.error ? make("span", { class: "bad" }, `Cannot be read: ${run.error}`) : run.verdict ?? "…"),
    make("td", {}, run.status, make("div", { class: "muted" }, left(run)))));
  const focused = document.activeElement === main.querySelector("input[type=search]");
  const at = focused ? document.activeElement.selectionStart : 0;
  show("Runs", [[runs.data.root]],
    make("h1", { id: "runs" }, `Runs in ${runs.data.root}`),
    make("div", { class: "bar" }, make("label", {}, "Search paths, models and verdicts", search), choose("Suite", among("suite"), suite, (value) => again({ suite: value })), choose("Status", among("status"), status, (value) => again({ status: value })), compare,
      saving("runs", () => `Runs in ${runs.data.root}`, () => ["run", "suite", "status", "changed", "models", "items", "verdict"], () => shown.map((run) => [run.path, run.suite || "scores", run.status, date(run.changed_s), (run.models ?? []).join(", "), run.items, run.error || run.verdict]))),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" }, make("table", {}, make("caption", {}, `${counted(shown.length, "run")} of ${runs.data.runs.length.toLocaleString("en")}`),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, make("span", { class: "muted" }, "tick")), head("path", "Run"), head("models", "Models"), head("items", "Items"), head("verdict", "Verdict"), head("status", "Status"))), make("tbody", {}, rows))),
    runs.data.unread.length > 0 && make("details", {}, make("summary", {}, `${counted(runs.data.unread.length, "file")} without scores`), make("ul", {}, runs.data.unread.map((one) => make("li", {}, make("b", {}, one.path), `: ${one.error}`)))));
  if (focused) { const field = main.querySelector("input[type=search]"); field.focus(); field.setSelectionRange(at, at); }
}

async function runsView(query, mine) {
  const fresh = await call("runs");
  if (mine !== turn) return;
  const isNew = JSON.stringify(fresh) !== JSON.stringify(runs.data);
  runs.data = fresh;
  state.textContent = fresh.busy ? "reading scores…" : "";
  if (isNew || !main.querySelector("#runs")) drawRuns(query);
  timer = setTimeout(follow, fresh.busy ? 700 : 2500, mine);
}

// Ask again and again, also where the server was gone for a while.
function follow(mine) {
  runsView(route().query, mine).catch((error) => { if (mine === turn) { state.textContent = error.message; timer = setTimeout(follow, 5000, mine); } });
}

// Compare

function scoresOf(query) {
  const wanted = new URLSearchParams();
  for (const name of ["run", "model", "by", "primary", "baseline", "sesoi", "exclude"]) for (const value of query.getAll(name)) wanted.append(name, value);
  return wanted;
}

// Of a pair as seen from one of its models: difference, interval and verdict.
function seen(pair, from) {
  const turned = pair.b === from;
  const interval = pair.interval && (turned ? [-pair.interval[1], -pair.interval[0]] : pair.interval);
  const verdict = turned ? { "a>b": "b>a", "b>a": "a>b" }[pair.verdict] ?? pair.verdict : pair.verdict;
  return { difference: pair.difference === null ? null : turned ? -pair.difference : pair.difference, interval, verdict, only: turned ? [pair.only_b, pair.only_a] : [pair.only_a, pair.only_b] };
}

function pairRows(data) {
  return data.comparison.primary.pairs.map((pair) => [pair.a, pair.b, pair.n, pair.difference, ...(pair.interval ?? [null, null]), pair.p_adjusted, pair.verdict, pair.items_needed]);
}

const PAIR_HEADS = ["a", "b", "n", "difference", "low", "high", "p_adjusted", "verdict", "items_needed"];

// Models from the best to the worst; of many the page shows a part on the left and a part at the top.
const PART = 40;

function shownModels(data, query) {
  const order = [...data.models].sort((a, b) => (b.mean ?? -Infinity) - (a.mean ?? -Infinity)).map((one) => one.model);
  const part = (name) => { const first = Math.min(Number(query.get(name)) || 0, order.length - 1); return order.slice(first, first + PART); };
  return { order, left: part("left"), top: part("top") };
}

function chooseModels(shown, query, to) {
  const { order } = shown;
  if (order.length <= PART) return null;
  const parts = Array.from({ length: Math.ceil(order.length / PART) }, (_, at) => [String(at * PART), `${at * PART + 1} to ${Math.min(order.length, (at + 1) * PART)} by mean`]);
  return make("div", { class: "bar" }, [["left", "Models on the left"], ["top", "Models at the top"]].map(([name, label]) => choose(label, parts, query.get(name) ?? "0", (value) => to({ [name]: value === "0" ? null : value }))),
    make("p", { class: "muted" }, `${counted(order.length, "model")} are compared, ${PART} are shown at a time; CSV has every pair.`));
}

// A heat map: what its table and its picture are drawn from.
function heatTable(map) {
  const rows = map.rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row.name, row.note && make("div", { class: "muted" }, row.note)), row.cells.map((one) => {
    const content = [one.text, one.small && make("small", { class: one.tone }, one.small)];
    const cell = make("td", {}, one.link ? make("a", { href: one.link, title: one.title }, content) : make("span", { class: one.isMuted && "muted" }, content));
    if (one.share) cell.style.setProperty("background", shade("var(--heat)", one.share));
    return cell;
  })));
  return table(`${map.caption}; ${map.leads}`, map.heads, rows, { class: "heat" });
}

// The part of the items that a comparison is about, as an address has it.
const partOf = (data) => (data.comparison.primary.scope.includes("=") ? data.comparison.primary.scope : null);

function matrix(data, query, { left, top }) {
  const { pairs, scope, declared } = data.comparison.primary, { rates } = data;
  const [column, value] = scope.split(/=(.*)/s);
  const within = partOf(data);
  const of = new Map(pairs.flatMap((pair) => [[JSON.stringify([pair.a, pair.b]), pair], [JSON.stringify([pair.b, pair.a]), pair]]));
  let most = 1e-12;
  for (const pair of pairs) most = Math.max(most, Math.abs(pair.difference ?? 0));
  const rows = left.map((a) => ({ name: a, cells: top.map((b) => {
    if (a === b) return { text: "–", share: 0 };
    const pair = of.get(JSON.stringify([a, b]));
    if (!pair) return { text: "not compared", share: 0, isMuted: true };
    const from = seen(pair, a);
    const verdict = !declared ? "no verdict" : from.verdict === "b>a" ? "worse" : data.verdict_words[from.verdict];
    return {
      text: `${from.difference > 0 ? "+" : ""}${figure(from.difference, rates)}`, small: verdict, tone: { better: "good", worse: "bad" }[verdict],
      share: from.difference > 0 ? from.difference / most : 0, title: `Items on which ${a} and ${b} differ`,
      link: address("items", changed(query, { a, b, in: within, outcome: "differ", item: null, offset: null, left: null, top: null })),
    };
  }) }));
  return {
    caption: `Every pair${within ? ` on items of ${words(column)} ${words(value)}` : ""}: the model on the left minus the one at the top${rates ? ", in percentage points" : ""}`,
    leads: "each leads to the items on which the two differ", heads: ["left minus top", ...top], rows,
  };
}

function pairTable(data) {
  const { pairs, declared } = data.comparison.primary, { rates, heads: of } = data;
  if (pairs.length > 60) return null;
  const number = (value) => value?.toLocaleString("en") ?? "–";
  const rows = pairs.map((pair) => make("tr", {}, make("th", { scope: "row" }, `${pair.a} − ${pair.b}`), make("td", { class: "number" }, figure(pair.difference, rates)), make("td", { class: "number" }, pair.interval ? `${figure(pair.interval[0], rates)} to ${figure(pair.interval[1], rates)}` : "–"), make("td", { class: "number" }, pair.p_adjusted === null ? "–" : pair.p_adjusted < 0.001 ? "< 0.001" : pair.p_adjusted.toFixed(3)), make("td", { class: "number" }, number(pair.n)), make("td", { class: "number" }, number(pair.only_a)), make("td", { class: "number" }, number(pair.only_b)), make("td", { class: "number" }, number(pair.items_needed)), make("td", {}, !declared ? "no verdict" : pair.verdict === "a>b" ? "A better" : pair.verdict === "b>a" ? "B better" : data.verdict_words[pair.verdict], pair.reason && make("div", { class: "muted" }, pair.reason))));
  const heads = ["A − B", ...[`${of.difference}${rates ? ", points" : ""}`, of.interval, of.p_adjusted, of.items, "Only A right", "Only B right", of.items_needed].map((text) => ({ text, class: "number" })), "Verdict"];
  return make("details", {}, make("summary", {}, "Figures of every pair"), table("Pairs", heads, rows));
}

function strataMap(data, query, { top }) {
  if (!data.strata.length) return null;
  const { rates } = data;
  const place = new Map(data.models.map((one, at) => [one.model, at]));
  const means = data.strata.flatMap((stratum) => stratum.cells.map((one) => one.mean)).filter((mean) => mean !== null);
  const [low, high] = means.reduce(([least, most], mean) => [Math.min(least, mean), Math.max(most, mean)], [Infinity, -Infinity]);
  const rows = data.strata.map((stratum) => ({ name: words(stratum.value), note: counted(stratum.items, "item"), cells: top.map((model) => {
    const one = stratum.cells[place.get(model)];
    const range = one.interval ? `${figure(one.interval[0], rates)} to ${figure(one.interval[1], rates)}` : "no interval";
    return {
      text: figure(one.mean, rates), small: `${range}, n ${one.n.toLocaleString("en")}`, share: high > low && one.mean !== null ? (one.mean - low) / (high - low) : 0,
      link: address("items", changed(query, { a: model, b: null, in: `${data.by}=${stratum.value}`, outcome: null, item: null, offset: null, order: "id", left: null, top: null })),
    };
  }) }));
  return { caption: `Mean${rates ? " in percent" : ""}, interval and number of items`, leads: "each mean leads to its items", heads: [words(data.by), ...top], rows };
}

function planner(data, query) {
  const { pairs, sesoi } = data.comparison.primary.pairs.length ? { ...data.comparison.primary, sesoi: data.comparison.sesoi } : { pairs: [] };
  const spread = pairs.filter((pair) => pair.sd > 0);
  if (!spread.length) return pairs.length ? [make("p", { class: "muted" }, "Nothing can be planned: of no two models does the difference vary over the items.")] : null;
  const unit = data.rates ? 100 : 1, [least, most] = data.limits;
  let { a, b } = spread.find((one) => one.verdict === "not_separated") ?? spread[0];
  const first = pairs.find((one) => one.a === a && one.b === b);
  // No difference is larger than the scale; where that has no end, than a few of those that were seen.
  const size = (one) => Math.max(Math.abs(one.difference ?? 0), one.sd ?? 0);
  const reach = unit * (least !== null && most !== null ? most - least : 4 * spread.reduce((largest, one) => Math.max(largest, size(one)), 0));
  const start = Number(Math.min(reach, unit * (Math.abs(first.difference ?? 0) || sesoi)).toPrecision(3));
  const slider = make("input", { type: "range", class: "wide", min: reach / 1000, max: reach, step: reach / 1000, value: start, oninput: () => { exact.value = Number(slider.valueAsNumber.toPrecision(3)); plan(); } });
  const exact = make("input", { type: "number", min: 0, max: reach, step: "any", value: start, oninput: () => { slider.value = exact.value; plan(); } });
  const price = make("input", { type: "number", min: 0, step: "any", value: "", oninput: () => plan() });
  const output = make("output", { "aria-live": "polite" });
  let latest = 0;
  async function plan() {
    const mine = ++latest, gap = exact.valueAsNumber / unit;
    if (!(gap > 0)) { output.textContent = "A gap is more than 0."; return; }
    try {
      const answer = await call("plan", changed(scoresOf(query), { a, b, gap }));
      if (mine !== latest) return;
      const money = (items) => (items * price.valueAsNumber).toLocaleString("en", { maximumFractionDigits: 2 });
      const more = answer.items === null ? 0 : Math.max(0, answer.items - answer.n);
      const cost = price.valueAsNumber > 0 && answer.items !== null ? ` They cost ${money(answer.items)}${more && more < answer.items ? `, the ${counted(more, "item")} to add ${money(more)}` : ""}.` : "";
      output.textContent = answer.items === null ? "No number of items would show it." : `A gap of ${figure(gap, data.rates)}${data.rates ? " points" : ""} takes ${counted(answer.items, "item")} (there are ${answer.n.toLocaleString("en")}).${cost}`;
    } catch (error) { if (mine === latest) output.textContent = error.message; }
  }
  plan();
  const names = data.models.map((one) => [one.model, one.model]);
  return [make("div", { class: "bar" },
    choose("Between", names, a, (value) => { a = value; plan(); }), choose("and", names, b, (value) => { b = value; plan(); }),
    make("label", {}, `True gap${data.rates ? ", in points" : ""}`, slider), make("label", {}, "Exactly", exact), make("label", {}, "Cost of an item", price)), make("p", {}, output)];
}

// Few models are compared as soon as they are ticked; of many some are ticked first.
function modelTicks(every, chosen, to) {
  const compare = (models) => to({ model: models.size === every.length ? null : [...models], all: every, left: null, top: null });
  const isMany = every.length > 12, ticked = new Set(chosen);
  const boxes = every.map((model) => make("label", { class: "tick" }, make("input", { type: "checkbox", checked: ticked.has(model), disabled: !isMany && ticked.has(model) && ticked.size < 3, onchange: (event) => {
    ticked[event.target.checked ? "add" : "delete"](model);
    if (isMany) again(); else compare(ticked);
  } }), model));
  if (!isMany) return make("fieldset", { class: "bar" }, make("legend", {}, "Models"), boxes);
  const button = make("button", { onclick: () => compare(ticked) });
  const again = () => { button.textContent = `Compare the ${ticked.size} that are ticked`; button.disabled = ticked.size < 2; };
  const all = (value) => { boxes.forEach((box, at) => { box.querySelector("input").checked = value; ticked[value ? "add" : "delete"](every[at]); }); again(); };
  again();
  return make("details", {}, make("summary", {}, `Models: ${chosen.size.toLocaleString("en")} of ${every.length.toLocaleString("en")}`),
    make("div", { class: "bar" }, button, make("button", { onclick: () => all(true) }, "Tick all"), make("button", { onclick: () => all(false) }, "Tick none")), make("fieldset", { class: "bar many" }, make("legend", {}, "Models"), boxes));
}

let shownComparison = {};

async function compareView(query, mine) {
  state.textContent = "comparing…";
  const wanted = changed(scoresOf(query), { secondary: "0" }), key = String(wanted);
  // Another part of the models is drawn from what is here.
  const data = shownComparison.key === key && main.querySelector(".heat") ? shownComparison.data : await call("compare", wanted);
  if (mine !== turn) return;
  // With one model there is nothing to compare, and its items to look at.
  if (data.only) { location.replace(address("items", scoresOf(query))); return; }
  shownComparison = { key, data };
  state.textContent = "";
  const rates = data.rates;
  const every = query.getAll("all").length ? query.getAll("all") : data.models.map((one) => one.model);
  const to = (changes) => { location.hash = address("compare", changed(query, changes)); };
  const chosen = new Set(data.models.map((one) => one.model));
  const shown = shownModels(data, query), leftOut = data.comparison.primary.left_out ?? 0;
  const maps = [matrix(data, query, shown), strataMap(data, query, shown)].filter(Boolean);
  const models = table(`Models on ${counted(data.items, "item")}`, ["Model", { text: rates ? `${data.heads.mean}, %` : data.heads.mean, class: "number" }, { text: data.heads.interval, class: "number" }, { text: data.heads.items, class: "number" }, data.heads.missing],
    data.models.map((one) => make("tr", {}, make("th", { scope: "row" }, one.model), make("td", { class: "number" }, figure(one.mean, rates)), make("td", { class: "number" }, one.interval ? `${figure(one.interval[0], rates)} to ${figure(one.interval[1], rates)}` : "–"), make("td", { class: "number" }, one.n.toLocaleString("en")), make("td", {}, Object.entries(one.missing).map(([cause, n]) => `${n} ${words(cause)}`).join(", ") || "none"))));
  const itemsOf = (link) => address("items", changed(query, { ...Object.fromEntries(new URLSearchParams(link)), in: partOf(data), outcome: "differ", item: null, offset: null, left: null, top: null }));
  show(data.headline, [[runs.data?.root ?? "runs", "#/"], ["compare"]],
    make("div", { class: "screen" },
      make("div", {}, make("h1", {}, `${data.headline}.`), make("ul", { class: "verdict" }, [...data.sentences, ...data.comparison.cautions.slice(1), ...data.notes].map((text) => make("li", {}, text)))),
      spansTable(data.ranking)),
    spansTable(data.differences, itemsOf),
    make("div", { class: "bar" },
      choose("By", [["", data.by ? words(data.by) : "nothing"], ...data.columns.filter((name) => name !== data.by).map((name) => [name, words(name)])], "", (value) => value && to({ by: value })),
      make("label", { class: "tick" }, make("input", { type: "checkbox", checked: Boolean(query.get("exclude")), onchange: (event) => to({ exclude: event.target.checked ? "1" : null }) }), `Leave labelled items out${leftOut ? ` (${leftOut} are)` : ""}`),
      saving("pairs", () => `${data.headline}.`, () => PAIR_HEADS, () => pairRows(data))),
    every.length > 2 && modelTicks(every, chosen, to),
    fold("Every pair", chooseModels(shown, query, to), heatTable(maps[0]), pairTable(data)),
    maps[1] && fold(`By ${words(data.by)}`, heatTable(maps[1])),
    fold("Missing scores", missingTable(data)), fold("What would it take?", planner(data, query)), fold("Labels by people", labelling(data.labels, query)));
}

function missingTable(data) {
  const some = data.models.filter((one) => Object.keys(one.missing).length);
  return some.length > 0 && table(`Scores that are missing, of ${counted(data.items, "item")}`, ["Model", { text: "Items with a score", class: "number" }, "Missing, by cause"],
    some.map((one) => make("tr", {}, make("th", { scope: "row" }, one.model), make("td", { class: "number" }, one.n.toLocaleString("en")), make("td", {}, Object.entries(one.missing).map(([cause, n]) => `${n} ${words(cause)}`).join(", ")))));
}

// History

async function historyView(query, mine) {
  state.textContent = "reading runs…";
  const data = await call("history", query);
  if (mine !== turn) return;
  if (data.busy) { timer = setTimeout(draw, 700); return; }
  state.textContent = "";
  const { runs: names, lines, rates, ids } = data, mean = (one) => (one ? figure(one.mean, rates) : "–");
  const of = new Map(lines.map((line) => [line.model, new Map(line.points.map((one) => [one.run, one]))]));
  const fell = (at) => lines.flatMap((line) => line.drops.filter(([first]) => first === at).map(() => line.model));
  const rows = names.map((name, at) => make("tr", {}, make("th", { scope: "row" }, make("a", { href: address("compare", [["run", ids[at]]]) }, name)),
    lines.map((line) => { const one = of.get(line.model).get(at); return make("td", { class: "number" }, mean(one), one?.interval && make("small", {}, `${figure(one.interval[0], rates)} to ${figure(one.interval[1], rates)}`)); }),
    make("td", {}, fell(at).map((model) => make("span", { class: "bad" }, `✗ ${model} fell`)), at > 0 && make("a", { href: address("compare", [["run", ids[at - 1]], ["run", ids[at]]]), "aria-label": `Compare ${names[at - 1]} and ${name}` }, "compare with the one before")))).reverse();
  show("History", [[runs.data?.root ?? "runs", "#/"], ["history"]],
    make("h1", {}, data.headline), make("p", { class: "muted" }, `${counted(data.items, "item")}. ${data.note}`),
    lineChart(lines, names.length, rates, data.headline),
    fold("Every run", table("The latest run first", ["Run", ...lines.map((line) => ({ text: `${line.model}${rates ? ", %" : ""}`, class: "number" })), ""], rows)));
}

// Items

const PAGE = 100, MOST_AT_ONCE = 10_000;

function outcome(one, binary) {
  if (!one) return "";
  if (one.score === null) return make("span", { class: "muted" }, words(one.missing));
  if (binary) return make("span", { class: one.score ? "good" : "bad" }, one.score ? "✓ right" : "✗ wrong");
  return signed(Number(one.score.toPrecision(4)).toString());
}

// The words of a text that another one has not, by the longest common subsequence: where each run of them begins and ends.
function differing(text, other) {
  const split = (whole) => whole.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const [a, b] = [split(text), split(other)];
  if (Math.max(a.length, b.length) > 4000 || a.length * b.length > 4e6 || !b.length) return [];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const parts = [];
  for (let i = 0, j = 0, at = 0; i < a.length; at += a[i].length, i++) {
    while (j < b.length && a[i] !== b[j] && lengths[i][j + 1] >= lengths[i + 1][j]) j++;
    if (j < b.length && a[i] === b[j]) { j++; continue; }
    if (parts.at(-1)?.[1] === at) parts.at(-1)[1] += a[i].length; else parts.push([at, at + a[i].length]);
  }
  return parts.filter(([from, to]) => text.slice(from, to).trim());
}

// A text as it was written: what another one has not is marked, and code is coloured.
function shown(text, other = "", isCode = false) {
  const marks = differing(text, other), colours = coloured(text, isCode);
  const edges = [...new Set([0, text.length, ...marks.flat(), ...colours.flatMap(([from, to]) => [from, to])])].sort((x, y) => x - y);
  const inside = (parts, from) => { while (parts.length && parts[0][1] <= from) parts.shift(); return parts.length && parts[0][0] <= from ? parts[0] : null; };
  return make("pre", { tabindex: "0" }, edges.slice(0, -1).map((from, at) => {
    const part = text.slice(from, edges[at + 1]), colour = inside(colours, from);
    const inner = colour ? make("span", { class: `code-${colour[2]}` }, part) : part;
    return inside(marks, from) ? make("mark", {}, inner) : inner;
  }));
}

function side(letter, model, other, binary, mode) {
  const answers = model.answers.length ? model.answers : [{ answer: "", facts: {} }];
  return make("section", { "aria-label": `Answer of ${model.model}`, "data-side": letter.toLowerCase() }, make("h3", {}, `${letter}: ${model.model} `, outcome(model, binary), make("span", { class: "mode" }, mode ? ` · ${mode}` : "")),
    answers.map((one, at) => [
      one.answer && shown(one.answer, other?.answers[at]?.answer ?? "", one.is_code),
      facts(one.facts, other?.answers[at]?.facts)]));
}

// What A and B were asked, where that is on record and not the same.
function prompts(a, b) {
  if (!a?.prompt || !b?.prompt) return null;
  if (a.prompt === b.prompt) return make("p", { class: "muted" }, "A and B were asked in the same words.");
  return make("details", {}, make("summary", {}, "A and B were asked in different words"), make("div", { class: "both" },
    [["A", a, b], ["B", b, a]].map(([letter, one, other]) => make("section", { "aria-label": `Prompt of ${one.model}` }, make("h3", {}, `${letter}: ${one.model}`), shown(one.prompt, other.prompt)))));
}

// What is the same of both answers is folded away.
function facts(own, others) {
  const list = (entries) => make("dl", { class: "facts" }, entries.map(([name, value]) => [make("dt", {}, words(name)), make("dd", {}, String(value))]));
  const known = Object.entries(own).filter(([, value]) => value !== "");
  const same = known.filter(([name, value]) => others && others[name] === value);
  return [list(known.filter((one) => !same.includes(one))), same.length > 0 && make("details", {}, make("summary", { class: "muted" }, "the same for both"), list(same))];
}

function written(text) {
  return make("div", {}, make("h3", {}, text.name), shown(text.text, "", text.is_code));
}

const asText = (content) => (typeof content === "string" ? content : JSON.stringify(content, null, 1) ?? "");

function transcript(one) {
  const lines = (Array.isArray(one.messages) ? one.messages : []).map((message) => [make("h3", {}, message.role), shown(asText(message.content))]);
  const said = one.reply ?? one.error;
  return make("details", {}, make("summary", {}, `${one.model}: ${one.question}`, make("span", { class: "muted" }, ` ${one.run}`)), lines, make("h3", {}, one.error ? "failed" : "reply"), shown(asText(said)));
}

// Notes that are written and not kept yet, by item of the runs that are looked at.
const drafts = new Map();
const draftOf = (query, item) => JSON.stringify([query.getAll("run"), item]);

function labelOf(query, one) {
  const modes = ["a", "b"].map((side) => one.modes?.[query.get(side)]).filter(Boolean);
  return [one.note && ` · ${one.note.label}`, modes.length && ` · ${modes.join(", ")}`, drafts.has(draftOf(query, one.item)) && " · not kept yet"].filter(Boolean).join("");
}

function noteForm(query, data) {
  const { item } = data, key = draftOf(query, item), kept = data.note ?? { label: "", text: "" }, draft = drafts.get(key) ?? kept;
  const row = () => { const one = shownItems?.rows.get(item), place = main.querySelector(`.list [data-item="${CSS.escape(item)}"] .label`); if (one && place) place.textContent = labelOf(query, one); };
  const change = () => {
    if (label.value === kept.label && text.value === kept.text) drafts.delete(key); else drafts.set(key, { label: label.value, text: text.value });
    status.textContent = drafts.has(key) ? "not kept yet" : "";
    row();
  };
  const label = make("select", { onchange: change }, ["", ...shownItems.about.labels].map((one) => make("option", { value: one }, one || "no label")));
  label.value = draft.label;
  const text = make("textarea", { rows: 2, cols: 40, value: draft.text, oninput: change });
  const status = make("span", { role: "status", class: "muted" }, drafts.has(key) ? "not kept yet" : "");
  const save = async () => {
    const written = { label: label.value, text: text.value };
    try {
      await call("notes", undefined, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ runs: query.getAll("run"), item, ...written }) });
      Object.assign(kept, written);
      const one = shownItems?.rows.get(item);
      if (one) one.note = written.label || written.text ? { ...written, label: written.label || "note" } : null;
      change();
      if (!drafts.has(key)) status.textContent = "kept";
    } catch (error) { status.textContent = error.message; }
  };
  return make("div", { class: "bar" }, make("label", {}, "Label", label), make("label", {}, "Note", text), make("button", { onclick: save }, "Keep"), status,
    make("a", { href: `/api/exclude?${changed(scoresOf(query), {})}&token=${encodeURIComponent(token)}`, download: "exclude.txt" }, "Labelled items, for --exclude"));
}

async function drawItem(query, binary, mine) {
  const place = main.querySelector(".detail");
  const isNarrow = matchMedia("(max-width: 62rem)").matches;
  const item = query.get("item");
  if (!item || !place) return;
  const data = await call("item", changed(scoresOf(query), { model: null, item }));
  if (mine !== turn || route().query.get("item") !== item) return;
  const [a, b] = ["a", "b"].map((letter) => data.models.find((one) => one.model === query.get(letter)));
  place.replaceChildren(...[
    make("h2", {}, item),
    make("p", { class: "muted" }, Object.entries(data.strata).map(([name, value]) => `${words(name)} ${words(value)}`).join(" · ")),
    ...data.texts.slice(0, 1).map(written),
    make("div", { class: "both" }, ...[a && side("A", a, b, binary, data.modes[a.model]), b && side("B", b, a, binary, data.modes[b.model])].filter(Boolean)),
    ...[prompts(a, b)].filter(Boolean),
    ...data.texts.slice(1).map(written),
    ...data.problems.map((problem) => make("p", { class: "error" }, problem)),
    !data.texts.length && !data.models.some((one) => one.answers.length) && make("p", { class: "muted" }, "There are scores here, and no texts of questions and answers."),
    noteForm(query, data),
    table("Scores of all models", ["Model", "Score"], data.models.map((one) => make("tr", {}, make("th", { scope: "row" }, one.model), make("td", {}, outcome(one, binary))))),
    ...(data.calls.length ? [make("h3", {}, counted(data.calls.length, "call")), ...data.calls.map(transcript)] : [])].filter(Boolean));
  markSide(b && (a.score ?? 0) > (b.score ?? 0) ? "b" : "a");
  if (isNarrow) place.scrollIntoView();
}

// Failure modes: keys name what is wrong with the answer that is marked, and a table counts them.

const modes = { side: "a", names: [] };

function markSide(side) {
  if (!main.querySelector(`[data-side="${side}"]`)) return;
  modes.side = side;
  for (const one of main.querySelectorAll("[data-side]")) one.classList.toggle("marked", one.dataset.side === side);
}

async function countModes(query, mine) {
  const a = query.get("a"), b = query.get("b"), data = await call("modes", changed(scoresOf(query), { a, b }));
  const place = main.querySelector(".modes");
  if (!place || mine !== shownItems?.turn) return;
  modes.names = data.modes.map((one) => one.mode);
  if (modes.names.length) place.open = true;
  const open = Object.entries(data.unlabelled).map(([model, n]) => `${n.toLocaleString("en")} of ${model}`).join(", ");
  const count = (text) => make("td", { class: "number" }, text.toLocaleString("en"));
  const rows = data.modes.map((one, at) => make("tr", {}, make("td", {}, at < 9 ? make("kbd", {}, `${at + 1}`) : ""), make("th", { scope: "row" }, one.mode), count(one.a), b && count(one.b), b && make("td", { class: one.holds ? "long" : "long muted" }, one.sentence)));
  // Counts may come while a name is typed.
  const typed = place.querySelector("input"), isTyping = typed && document.activeElement === typed;
  const name = typed ?? make("input", { maxlength: 60, onkeydown: (event) => { if (event.key === "Enter" && name.value.trim()) { setMode(query, name.value.trim()); name.value = ""; name.blur(); } } });
  place.querySelector("div").replaceChildren(...[
    rows.length > 0 && table(`On ${counted(data.items, "item")}, each answer to which is right or has a mode. Wrong answers without one: ${open}.`, ["Key", "Failure mode", { text: "A", class: "number" }, ...(b ? [{ text: "B", class: "number" }, "More frequent in"] : [])], rows),
    make("label", {}, "New mode (m), kept with Enter ", name),
  ].filter(Boolean));
  if (isTyping) name.focus();
}

async function setMode(query, label) {
  const item = route().query.get("item"), model = query.get(modes.side), mine = shownItems?.turn;
  // An answer that is not shown yet is not labelled.
  if (!item || !model || label === undefined || main.querySelector(".detail h2")?.textContent !== item) return;
  try {
    await call("notes", undefined, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ runs: query.getAll("run"), item, label, text: "", model }) });
    if (mine !== shownItems?.turn) return;
    const one = shownItems.rows.get(item), row = main.querySelector(`.list [data-item="${CSS.escape(item)}"] .label`);
    if (one) one.modes = { ...one.modes, [model]: label };
    if (one && row) row.textContent = labelOf(query, one);
    if (item === route().query.get("item")) main.querySelector(`[data-side="${modes.side}"] .mode`).textContent = label && ` · ${label}`;
    await countModes(query, mine);
  } catch (error) { state.textContent = error.message; }
}

function modeKeys(query) {
  const digits = Array.from({ length: 9 }, (_, at) => [`${at + 1}`, () => setMode(query, modes.names[at])]);
  return { ...Object.fromEntries(digits), 0: () => setMode(query, ""), a: () => markSide("a"), b: () => markSide("b"), m: (event) => { event.preventDefault(); main.querySelector(".modes").open = true; main.querySelector(".modes input").focus(); } };
}

function itemHeads(data, query, a) {
  const of = [a, query.get("b")].filter(Boolean).flatMap((model) => [`score of ${model}`, `missing of ${model}`]);
  return ["item", ...of, ...Object.keys(data.about.columns), "label", "note"];
}

// Rows of all items that fit, also those that the list does not show.
async function everyItem(query, data, a) {
  const rows = [];
  while (rows.length < data.total) {
    const { items } = await call("items", changed(query, { a, limit: MOST_AT_ONCE, offset: rows.length, all: null, item: null }));
    if (!items.length) break;
    rows.push(...items.map((one) => [one.item, ...[one.a, one.b].filter(Boolean).flatMap((side) => [side.score, side.missing]), ...Object.keys(data.about.columns).map((name) => one.strata[name]), one.note?.label, one.note?.text]));
    state.textContent = rows.length < data.total ? `${rows.length.toLocaleString("en")} of ${counted(data.total, "item")}…` : "";
  }
  return rows;
}

async function itemsView(query, mine) {
  const data = await call("items", changed(query, { limit: PAGE, all: null, item: null }));
  const { models, columns, causes, outcomes, orders, binary } = data.about;
  const a = query.get("a") ?? models[0], asked = query;
  if (mine !== turn) return;
  query = changed(query, { a });
  state.textContent = "";
  const to = (changes) => { location.hash = address("items", changed(query, { offset: null, item: null, ...changes })); };
  const within = Object.fromEntries(query.getAll("in").map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]));
  const pick = (item) => address("items", changed(query, { a, item }));
  const row = (one) => make("li", {}, make("a", { href: pick(one.item), "data-item": one.item, "aria-current": one.item === query.get("item") ? "true" : null },
    one.item, make("div", { class: "muted" }, "A ", outcome(one.a, binary), one.b ? [" · B ", outcome(one.b, binary)] : "", make("span", { class: "label" }, labelOf(query, one)))));
  const offset = Number(query.get("offset") ?? 0);
  const search = make("input", { type: "search", value: query.get("text") ?? "", onchange: () => to({ text: search.value || null }) });
  const strata = Object.entries(columns).map(([column, values]) => choose(words(column), [["", "all"], ...values.map((value) => [value, words(value)])], within[column] ?? "", (value) => to({ in: Object.entries({ ...within, [column]: value }).filter(([, one]) => one).map(([name, one]) => `${name}=${one}`) })));
  show("Items", [[runs.data?.root ?? "runs", "#/"], ...(models.length > 1 ? [["compare", address("compare", changed(scoresOf(query), query.has("all") ? { all: query.getAll("all") } : {}))]] : []), ["items"]],
    make("h1", {}, query.get("b") ? `${counted(data.total, "item")}: ${a} and ${query.get("b")}` : `${counted(data.total, "item")} of ${a}`),
    make("div", { class: "bar" },
      choose("A", models.map((one) => [one, one]), a, (value) => to({ a: value })),
      choose("B", [["", "none"], ...models.map((one) => [one, one])], query.get("b") ?? "", (value) => to({ b: value || null })),
      choose("Outcome", Object.entries(outcomes).map(([name, text]) => [name, `${text} (${data.counts[name].toLocaleString("en")})`]), query.get("outcome") ?? "any", (value) => to({ outcome: value })),
      strata, causes.length > 0 && choose("Missing", [["", "any or none"], ...causes.map((one) => [one, words(one)])], query.get("cause") ?? "", (value) => to({ cause: value || null })),
      choose("Order", Object.entries(orders), query.get("order") ?? "gap", (value) => to({ order: value })),
      make("label", {}, "Search ids", search), saving("items", () => main.querySelector("h1").textContent, () => itemHeads(data, query, a), () => everyItem(query, data, a))),
    make("p", { class: "muted" }, "j and k go on and back, n to the next item on which A and B differ."),
    make("details", { class: "modes" }, make("summary", {}, "Failure modes"), make("p", { class: "muted" }, "1 to 9 name what is wrong with the marked answer, 0 takes that away, a and b mark an answer, m names a new mode."), make("div", {})),
    make("div", { class: "split" },
      make("div", {}, make("ul", { class: "list", "aria-label": "Items" }, data.items.map(row)),
        make("div", { class: "bar" }, offset > 0 && make("a", { href: address("items", changed(query, { offset: Math.max(0, offset - PAGE), item: null })) }, "before"), offset + PAGE < data.total && make("a", { href: address("items", changed(query, { offset: offset + PAGE, item: null })) }, "more"))),
      make("div", { class: "detail", "aria-live": "polite" }, make("p", { class: "muted" }, data.total ? "Choose an item." : "No item fits."))));
  const at = () => data.items.findIndex((one) => one.item === route().query.get("item"));
  const differ = (one) => one.b && one.a.score !== null && one.b.score !== null && one.a.score !== one.b.score;
  let isGoing = false;
  // To the item at a place of the whole list, which may be on another page.
  async function go(place, end) {
    if (isGoing) return;
    if (place === null || place < 0 || place >= data.total) { state.textContent = end; return; }
    const here = data.items[place - offset];
    if (here) { location.hash = pick(here.item); return; }
    isGoing = true;
    try {
      const { items: [one] } = await call("items", changed(query, { limit: 1, offset: place, all: null, item: null }));
      if (one && mine === shownItems?.turn) location.hash = address("items", changed(query, { a, item: one.item, offset: place - (place % PAGE) || null }));
    } catch (error) { state.textContent = error.message; } finally { isGoing = false; }
  }
  const nextDiffering = () => { const inside = data.items.findIndex((one, place) => place > at() && differ(one)); return inside < 0 ? data.next_differing : offset + inside; };
  keys = {
    j: () => go(offset + at() + 1, "This is the last item."),
    k: () => go(at() < 0 ? null : offset + at() - 1, "This is the first item."),
    n: () => go(nextDiffering(), "A and B differ on no later item."),
    ...modeKeys(query),
  };
  shownItems = { key: wantedKey(asked), binary, turn: mine, about: data.about, rows: new Map(data.items.map((one) => [one.item, one])) };
  main.querySelector(".list [aria-current]")?.scrollIntoView({ block: "nearest" });
  await Promise.all([drawItem(query, binary, mine), countModes(query, mine)]);
}

// Going from one item to the next leaves the list as it is.
let shownItems = null;
const wantedKey = (query) => [...changed(query, { item: null, a: query.get("a") })].map(String).sort().join("&");

async function draw() {
  clearTimeout(timer);
  const { path, query } = route(), mine = ++turn;
  keys = path === "items" ? keys : {};
  if (!["compare", "items", "history", "label", ""].includes(path)) { location.hash = "#/"; return; }
  try {
    if (path === "items" && shownItems?.key === wantedKey(query) && main.querySelector(".detail")) {
      for (const link of main.querySelectorAll(".list a")) {
        const here = link.dataset.item === query.get("item");
        here ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
        if (here) link.scrollIntoView({ block: "nearest" });
      }
      state.textContent = "";
      await drawItem(query, shownItems.binary, mine);
      return;
    }
    shownItems = null;
    await { "": runsView, compare: compareView, items: itemsView, history: historyView, label: () => labelView(query, (of) => { keys = of; }, () => mine === turn) }[path](query, mine);
  } catch (error) { if (mine === turn) failed(error); }
}

document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
addEventListener("hashchange", draw);
addEventListener("beforeunload", (event) => { if (drafts.size) event.preventDefault(); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  keys[event.key]?.(event);
});
draw();
