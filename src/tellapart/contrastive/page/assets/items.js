// Items in the browser of browser.js.
{
  const IGNORED = new Set(
    "a an and are as at be by for from has have if in into is it its not of on or that the this to was which with".split(" "),
  );
  const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

  function modelIndex() {
    return data.models.indexOf(chosen("model"));
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
    return data.items[item][4];
  }

  function hasOutcome(item, wanted) {
    if (wanted !== "disputed") return answer(modelIndex(), item).outcome === wanted;
    const outcomes = new Set(data.models.map((_, other) => answer(other, item).outcome));
    return outcomes.has("right") && outcomes.has("wrong");
  }

  // 1 for right and 0 for wrong; null where there is no answer.
  function score(model, item) {
    const { outcome } = answer(model, item);
    return outcome === "missing" ? null : Number(outcome === "right");
  }

  function textOf(item) {
    const target = data.items[item][2];
    const [code] = data.code[target] ?? [""];
    return [summaryOf(item, modelIndex()), data.units[target], code].join("\n").toLowerCase();
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
      make("span", { class: "sub" }, data.levels[data.items[i][1]], make("span", {}, mark(outcome, outcome), ` ${place}`)),
    ];
  }

  function scoreReading(item, model) {
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

  function times(number) {
    return ["never", "once", "twice"][number] ?? `${number} times`;
  }

  // Language models: what they said each time that they were asked, in place of scores and margins.
  function askingsOf(item, model) {
    return data.askings?.[model]?.[item] ?? [];
  }

  function reading(item, model) {
    const asked = askingsOf(item, model);
    const answers = asked.filter((asking) => asking[6] === null);
    if (!answers.length) return scoreReading(item, model);
    const name = data.models[model];
    const [, , slot, picked, rank, confidence] = answers[0];
    const first = `with the target in slot ${slot} of ${optionsOf(item)} it put slot ${picked} first, the target at rank ${rank}`;
    const said = `${first}, and stated a confidence of ${figure(confidence)}.`;
    if (asked.length === 1) return `Asked once, ${name} answered: ${said}`;
    const right = answers.filter((asking) => asking[4] === 1).length;
    const unread = asked.length - answers.length;
    const missing = unread ? ` and gave no answer ${times(unread)}` : "";
    return `Asked ${times(asked.length)}, ${name} was right ${times(right)}${missing}. The first answer: ${said}`;
  }

  function askings(item, model) {
    const asked = askingsOf(item, model);
    if (!asked.length) return [];
    const unread = asked.some((asking) => asking[6] !== null);
    const rows = asked.map(([order, time, slot, picked, rank, confidence, why]) => {
      const outcome = why ? "missing" : rank === 1 ? "right" : "wrong";
      const told = [slot, picked, rank].map((number) => (number === null ? "–" : String(number)));
      return [`#${order}.${time}`, mark(outcome, outcome), ...told, figure(confidence), ...(unread ? [why ?? ""] : [])];
    });
    const headings = ["Asking", "Outcome", "Target in slot", "Put first", "Rank of the target", "Stated confidence"];
    if (unread) headings.push("Why there is no answer");
    const where = `Its reasoning is in run.db of the run directory, under the question ${data.items[item][0]}#0.0`;
    const more = asked.length > 1 ? " and so on: the order, and which time it was asked in that order." : ".";
    return [table(headings, rows), make("p", { class: "note" }, where + more)];
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

  function otherModels(item) {
    const rows = data.models.map((name, model) => {
      const { missing, outcome, rank, ties, margin, best } = answer(model, item);
      if (missing) return [name, mark(outcome, outcome), "–", "–", missing];
      return [name, mark(outcome, outcome), ties ? `${rank} (${ties} tied)` : String(rank), figure(margin), nameOf(best)];
    });
    return table(["Model", "Outcome", "Rank", "Margin", "Best distractor"], rows);
  }

  function distractors(item) {
    const rows = data.items[item][3].map(([unit, strategy, similarity]) => [
      nameOf(unit),
      pathOf(unit),
      data.strategies[strategy],
      figure(similarity),
    ]);
    const all = table(["Distractor", "File", "Chosen as", "Similarity to the target"], rows);
    return make("details", {}, make("summary", {}, rows.length === optionsOf(item) - 1 ? `All ${rows.length} distractors` : `${rows.length} of ${optionsOf(item) - 1} distractors`), all);
  }

  function show(item) {
    const model = modelIndex();
    const [, level, target] = data.items[item];
    const summary = summaryOf(item, model);
    const wanted = words(summary);
    const { best, outcome } = answer(model, item);
    const panes = [pane("Target", target, "", wanted)];
    if (best !== undefined) {
      const [, strategy, similarity] = data.items[item][3].find(([unit]) => unit === best);
      const source = ` · chosen as ${data.strategies[strategy]}, similarity ${figure(similarity)}`;
      panes.push(pane(`Best distractor for ${data.models[model]}`, best, source, wanted));
    }
    return [
      make("h3", {}, nameOf(target)),
      make("p", { class: "where" }, `${pathOf(target)} · level ${data.levels[level]}`),
      make("blockquote", {}, summary || "(no summary)"),
      make("p", { class: "reading" }, mark(outcome, outcome), ` ${reading(item, model)}`),
      make("div", { class: "panes" }, ...panes),
      ...askings(item, model),
      otherModels(item),
      distractors(item),
    ];
  }

  browse({
    ids: data.items.map(([id]) => id),
    fits: {
      level: (i, value) => data.levels[data.items[i][1]] === value,
      outcome: hasOutcome,
      side: (i, side) => onSide(side, score(modelIndex(), i), rivals(modelIndex()).map((model) => score(model, i))),
    },
    orders: { margin: (i) => answer(modelIndex(), i).margin },
    text: textOf,
    row,
    show,
    counted: (found) => `${found.toLocaleString("en")} of ${data.items.length.toLocaleString("en")} items`,
  });
}
