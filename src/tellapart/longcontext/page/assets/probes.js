// The browser of probes; see browser.js.
{
  const data = JSON.parse(document.getElementById("items-data").textContent);
  const form = document.getElementById("items-filters");
  const detail = document.getElementById("items-detail");
  const state = { case: "", category: "", mode: "", model: "", sort: "", q: "", page: "1", item: "" };
  const LISTS = { case: data.cases, category: data.categories, mode: data.modes, model: data.models };
  const MARKS = [["right", "✓"], ["part", "◐"], ["wrong", "✗"], ["missing", "?"]];
  const ORDERS = {
    worst: (one) => -[0, 1, 3, 2][one.mark],
    longest: (one) => -(counted(one, "context, measured") ?? -1),
    farthest: (one) => -(counted(one, "since the nearest evidence") ?? -1),
  };

  const searched = data.probes.map((one) =>
    [one.step, one.mode ?? "", ...["question", "expected", "actual", "reason"].map((name) => data.texts[one[name]])].join("\n").toLowerCase(),
  );

  function counted(one, name) {
    return one.tokens.find(([known]) => known === name)?.[1];
  }

  function many(number, noun) {
    return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  }

  function selected() {
    const at = Object.fromEntries(Object.entries(LISTS).map(([name, list]) => [name, list.indexOf(state[name])]));
    const q = state.q.trim().toLowerCase();
    const found = [];
    data.probes.forEach((one, i) => {
      if (at.case >= 0 && one.case !== at.case) return;
      if (at.category >= 0 && one.category !== at.category) return;
      if (at.mode >= 0 && !one.modes.includes(at.mode)) return;
      if (at.model >= 0 && one.model !== at.model) return;
      if (q && !searched[i].includes(q)) return;
      found.push(i);
    });
    const order = ORDERS[state.sort];
    if (order) found.sort((a, b) => order(data.probes[a]) - order(data.probes[b]) || a - b);
    return found;
  }

  function mark(one) {
    const [style, sign] = MARKS[one.mark];
    return make("span", { class: style }, `${sign} ${one.shown}`);
  }

  function who(one) {
    const parts = [data.cases[one.case]];
    if (data.models.length > 1) parts.push(data.models[one.model]);
    if (data.epochs) parts.push(`epoch ${one.epoch}`);
    return parts.join(" · ");
  }

  function row(i) {
    const one = data.probes[i];
    const name = one.mode ? `${one.step} ${one.mode}` : one.step;
    return [make("span", { class: "unit" }, name), make("span", { class: "sub" }, make("span", {}, who(one)), mark(one))];
  }

  function quoted(name, text, style = "") {
    return make("div", {}, make("h4", {}, name), make("blockquote", { class: style, tabindex: "0" }, text));
  }

  function figures(pairs) {
    return make("dl", {}, ...pairs.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  function shownFigure([name, value]) {
    if (typeof value === "string") return [name, `${value} tokens`];
    if (name.startsWith("depth")) return [name, `${Math.round(100 * value)} % of the conversation before`];
    return [name, `${value.toLocaleString("en")} tokens`];
  }

  function others(one, i) {
    const same = data.probes.flatMap((other, j) => (j !== i && other.case === one.case && other.step === one.step ? [j] : []));
    if (!same.length) return [];
    const items = same.map((j) => {
      const address = `#${new URLSearchParams({ item: data.probes[j].id })}`;
      return make("li", {}, make("a", { href: address }, who(data.probes[j])), " ", mark(data.probes[j]));
    });
    return [make("h4", {}, "The same probe"), make("ul", { class: "others" }, ...items)];
  }

  function showDetail(i) {
    if (i === undefined) {
      detail.replaceChildren(make("p", {}, "No probe fits these filters."));
      return;
    }
    const one = data.probes[i];
    detail.replaceChildren(
      make("h3", {}, one.mode ? `${one.step} (${one.mode})` : one.step),
      make("p", { class: "where" }, `${one.type} · ${who(one)}`),
      quoted("Question", data.texts[one.question]),
      make("div", { class: "sides" }, quoted("Expected", data.texts[one.expected], "key"), quoted("Actual", data.texts[one.actual], "key")),
      make("p", { class: "grade" }, mark(one), " ", data.texts[one.reason]),
      figures([...one.more, ...one.tokens.map(shownFigure)]),
      ...others(one, i),
    );
  }

  function sane() {
    for (const [name, list] of Object.entries(LISTS)) if (!list.includes(state[name])) state[name] = "";
    if (!(state.sort in ORDERS)) state.sort = "";
  }

  for (const [name, list] of Object.entries(LISTS)) {
    for (const value of list) form.elements[name].append(make("option", { value }, value));
    if (list.length < 2 && name === "model") form.elements[name].closest("label").hidden = true;
  }
  browse({
    state,
    sane,
    ids: data.probes.map((one) => one.id),
    selected,
    row,
    counted: (found) => `${many(found, "probe")} of ${data.probes.length}`,
    show: showDetail,
  });
}
