// Items of an audit in the browser of browser.js.
{
  const { models, items, scores, causes, missing, strata, flags, discrimination, texts } = data;
  const searched = items.map((id, i) => [id, ...(texts[i] ?? []).map(([, text]) => text)].join("\n").toLowerCase());

  function words(name) {
    return name.replaceAll("_", " ");
  }

  function modelA() {
    return models.indexOf(chosen("model"));
  }

  function figure(value) {
    if (value === null) return "–";
    return (data.rates ? (100 * value).toFixed(1) : Number(value.toPrecision(3)).toString()).replace("-", "−");
  }

  // A score in words and signs, or why there is none.
  function outcome(model, i) {
    const score = scores[model][i];
    if (score === null) return mark("missing", causes[missing[model][i]]);
    return data.binary ? mark(score ? "right" : "wrong", score ? "right" : "wrong") : make("span", { class: "score" }, figure(score));
  }

  function gap(i) {
    const [a, ...others] = [modelA(), ...rivals(modelA())].map((model) => scores[model][i]);
    const gaps = others.filter((b) => b !== null && a !== null).map((b) => Math.abs(a - b));
    return gaps.length ? Math.max(...gaps) : -1;
  }

  function mean(i) {
    const all = models.flatMap((_, model) => scores[model][i] ?? []);
    return all.length ? all.reduce((sum, score) => sum + score, 0) / all.length : null;
  }

  function row(i) {
    const shown = [modelA(), ...(chosen("other") ? rivals(modelA()) : [])];
    const kinds = Object.values(strata).flatMap((values) => (values[i] === null ? [] : [words(values[i])]));
    const [first] = texts[i] ?? [];
    return [
      make("span", { class: "unit" }, items[i]),
      ...(first ? [make("span", { class: "sub" }, first[1].length > 90 ? `${first[1].slice(0, 89)}…` : first[1])] : []),
      make("span", { class: "sub" }, kinds.join(" · "), make("span", {}, ...shown.flatMap((model, at) => [`${at ? " " : ""}${"AB"[at]} `, outcome(model, i)]))),
    ];
  }

  function show(i) {
    const facts = Object.entries(strata).flatMap(([column, values]) => (values[i] === null ? [] : [`${words(column)} ${words(values[i])}`]));
    const known = models.filter((_, model) => scores[model][i] !== null).length;
    const separates = discrimination[i] === null ? "" : ` · discrimination ${Number(discrimination[i].toPrecision(2)).toString().replace("-", "−")}`;
    const pair = [chosen("model"), chosen("other")];
    const rows = models.map((name, model) => [name, pair.includes(name) ? "AB"[pair.indexOf(name)] : "", outcome(model, i)]);
    const whole = table(["Model", "", "Score"], rows, "Scores of all models");
    [...whole.querySelectorAll("tbody tr")].forEach((line, at) => pair.includes(models[at]) && line.setAttribute("aria-current", "true"));
    return [
      make("h3", {}, items[i]),
      make("p", { class: "where" }, [...facts, `mean ${figure(mean(i))}${data.rates ? " %" : ""} over ${many(known, "model")}`].join(" · ") + separates),
      ...(flags[i] ?? []).map((flag) => make("p", { class: "reading" }, `Flagged: ${data.words[flag]}.`)),
      ...(texts[i] ?? []).flatMap(([name, text]) => [make("h4", {}, name), make("blockquote", { tabindex: "0" }, text)]),
      whole,
    ];
  }

  const kinds = Object.entries(strata).map(([column, values]) => [`in-${column}`, (i, value) => values[i] === value]);
  browse({
    ids: items,
    fits: {
      ...Object.fromEntries(kinds),
      side: (i, side) => onSide(side, scores[modelA()][i], rivals(modelA()).map((model) => scores[model][i])),
      missing: (i, cause) => missing.some((of) => causes[of[i]] === cause),
      flag: (i, flag) => (flags[i] ?? []).includes(flag),
    },
    orders: { gap: (i) => -gap(i), hard: (i) => mean(i) ?? 2, easy: (i) => -(mean(i) ?? -1) },
    text: (i) => searched[i],
    row,
    show,
  });
}
