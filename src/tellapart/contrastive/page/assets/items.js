// The browser of items; see browser.js.
{
  const data = JSON.parse(document.getElementById("items-data").textContent);
  const form = document.getElementById("items-filters");
  const detail = document.getElementById("items-detail");
  const state = { model: data.models[0], level: "", outcome: "", sort: "", q: "", page: "1", item: "" };

  const IGNORED = new Set(
    "a an and are as at be by for from has have if in into is it its not of on or that the this to was which with".split(" "),
  );
  const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

  function modelIndex() {
    return Math.max(0, data.models.indexOf(state.model));
  }

  function answer(model, item) {
    const found = data.answers[model][item];
    if (typeof found === "string") return { missing: found, outcome: "missing", margin: Infinity };
    const [correct, rank, ties, gap, margin, best] = found;
    return { correct, rank, ties, gap, margin, best, outcome: correct > 0.5 ? "right" : "wrong" };
  }

  function summaryOf(item, model) {
    return (data.summaries[data.sources[model]] ?? {})[data.items[item][2]] ?? "";
  }

  function nameOf(unit) {
    const id = data.units[unit];
    const start = id.indexOf("::");
    const end = id.lastIndexOf("#");
    return start < 0 ? id : id.slice(start + 2, end > start ? end : undefined);
  }

  function pathOf(unit) {
    return data.units[unit].split("::")[0];
  }

  function figure(value) {
    if (value === null) return "–";
    return Number(value.toPrecision(3)).toString().replace("-", "−");
  }

  function optionsOf(item) {
    return data.items[item][5].length + 1;
  }

  function selected() {
    const model = modelIndex();
    const level = data.levels.indexOf(state.level);
    const q = state.q.trim().toLowerCase();
    const found = [];
    for (let i = 0; i < data.items.length; i++) {
      if (level >= 0 && data.items[i][1] !== level) continue;
      if (!hasOutcome(model, i) || (q && !mentions(i, model, q))) continue;
      found.push(i);
    }
    if (state.sort === "margin") {
      const margin = new Map(found.map((i) => [i, answer(model, i).margin]));
      found.sort((a, b) => margin.get(a) - margin.get(b) || a - b);
    }
    return found;
  }

  function hasOutcome(model, item) {
    if (!state.outcome) return true;
    if (state.outcome !== "disputed") return answer(model, item).outcome === state.outcome;
    const outcomes = new Set(data.models.map((_, other) => answer(other, item).outcome));
    return outcomes.has("right") && outcomes.has("wrong");
  }

  function mentions(item, model, q) {
    const target = data.items[item][2];
    const code = data.code[target] ?? [""];
    return [summaryOf(item, model), data.units[target], code[0]].some((text) => text.toLowerCase().includes(q));
  }

  function stem(word) {
    const lower = word.toLowerCase();
    return lower.length > 3 && lower.endsWith("s") ? lower.slice(0, -1) : lower;
  }

  function words(text) {
    return new Set((text.match(WORD) ?? []).map(stem).filter((word) => !IGNORED.has(word)));
  }

  // The text with every word that is in `wanted` marked, and which of them it holds.
  function marked(text, wanted) {
    const fragment = document.createDocumentFragment();
    const found = new Set();
    let done = 0;
    for (const match of text.matchAll(WORD)) {
      const word = stem(match[0]);
      if (!wanted.has(word)) continue;
      found.add(word);
      fragment.append(text.slice(done, match.index), make("mark", {}, match[0]));
      done = match.index + match[0].length;
    }
    fragment.append(text.slice(done));
    return { fragment, found };
  }

  function row(i) {
    const { outcome, rank, missing } = answer(modelIndex(), i);
    const place = missing ? missing : `rank ${rank} of ${optionsOf(i)}`;
    return [
      make("span", { class: "unit" }, nameOf(data.items[i][2])),
      make("span", { class: "sub" }, data.levels[data.items[i][1]], make("span", {}, outcomeTag(outcome), ` ${place}`)),
    ];
  }

  function outcomeTag(outcome) {
    const sign = { right: "✓", wrong: "✗", missing: "?" }[outcome];
    return make("span", { class: outcome }, `${sign} ${outcome}`);
  }

  function reading(item, model) {
    const name = data.models[model];
    const { missing, rank, ties, margin, gap, correct } = answer(model, item);
    if (missing) return `${name} gave no answer: ${missing}.`;
    const tied = ties ? `, tied with ${ties} ${ties === 1 ? "other" : "others"}` : "";
    const chance = correct > 0 && correct < 1 ? ` A right draw among those tied has the chance ${figure(correct)}.` : "";
    const side = margin > 0 ? `${figure(margin)} ahead of` : margin < 0 ? `${figure(-margin)} behind` : "level with";
    return (
      `${name} puts the target at rank ${rank} of ${optionsOf(item)}${tied}: its score is ${side} the best distractor` +
      ` (confidence gap ${figure(gap)}).${chance}`
    );
  }

  function pane(title, unit, extra, wanted) {
    const [text, cut, path, start, end, language] = data.code[unit];
    const { fragment, found } = marked(text, wanted);
    const shared = `${found.size} of ${wanted.size} words of the summary`;
    const code = make("code", {}, fragment);
    const box = make(
      "section",
      { class: "pane" },
      make("h4", {}, `${title}: ${nameOf(unit)}`),
      make("p", {}, `${path}:${start}–${end} · ${language}${extra} · ${shared}`),
      make("pre", { tabindex: "0", "aria-label": `${title}, code` }, code),
    );
    if (cut) box.append(make("p", {}, `${cut} more ${cut === 1 ? "line is" : "lines are"} not shown.`));
    return box;
  }

  function table(headings, rows) {
    const head = make("tr", {}, ...headings.map((heading) => make("th", { scope: "col" }, heading)));
    const body = rows.map((row) =>
      make("tr", {}, ...row.map((cell, i) => (i ? make("td", {}, cell) : make("th", { scope: "row" }, cell)))),
    );
    const whole = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
    return make("div", { class: "scroll", role: "region", "aria-label": headings.join(", "), tabindex: "0" }, whole);
  }

  function otherModels(item) {
    const rows = data.models.map((name, model) => {
      const { missing, outcome, rank, ties, margin, best } = answer(model, item);
      if (missing) return [name, outcomeTag(outcome), "–", "–", missing];
      return [name, outcomeTag(outcome), ties ? `${rank} (${ties} tied)` : String(rank), figure(margin), nameOf(best)];
    });
    return table(["model", "outcome", "rank", "margin", "best distractor"], rows);
  }

  function distractors(item) {
    const rows = data.items[item][5].map(([unit, strategy, similarity]) => [
      nameOf(unit),
      pathOf(unit),
      data.strategies[strategy],
      figure(similarity),
    ]);
    const all = table(["distractor", "file", "chosen as", "similarity to the target"], rows);
    return make("details", {}, make("summary", {}, `All ${rows.length} distractors`), all);
  }

  function showDetail(item) {
    if (item === undefined) {
      detail.replaceChildren(make("p", {}, "No item fits these filters."));
      return;
    }
    const model = modelIndex();
    const [, level, target, score, label] = data.items[item];
    const summary = summaryOf(item, model);
    const wanted = words(summary);
    const { best, outcome } = answer(model, item);
    const panes = [pane("Target", target, "", wanted)];
    if (best !== undefined) {
      const [, strategy, similarity] = data.items[item][5].find(([unit]) => unit === best);
      const chosen = ` · chosen as ${data.strategies[strategy]}, similarity ${figure(similarity)}`;
      panes.push(pane(`Best distractor for ${data.models[model]}`, best, chosen, wanted));
    }
    detail.replaceChildren(
      make("h3", {}, nameOf(target)),
      make("p", { class: "where" }, `${pathOf(target)} · level ${data.levels[level]} · difficulty score ${figure(score)} (${label})`),
      make("blockquote", {}, summary || "(no summary)"),
      make("p", { class: "reading" }, outcomeTag(outcome), ` ${reading(item, model)}`),
      make("div", { class: "panes" }, ...panes),
      otherModels(item),
      distractors(item),
    );
  }

  for (const name of data.models) form.elements.model.append(make("option", { value: name }, name));
  for (const name of data.levels) form.elements.level.append(make("option", { value: name }, name));
  browse({
    state,
    kept: ["model"],
    sane: () => {
      if (!data.models.includes(state.model)) state.model = data.models[0];
    },
    ids: data.items.map((item) => item[0]),
    selected,
    row,
    counted: (found) => `${found.toLocaleString("en")} of ${data.items.length.toLocaleString("en")} items`,
    show: (item) => showDetail(item),
  });
}
