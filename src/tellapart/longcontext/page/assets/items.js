// Probes in the browser of browser.js.
{
  const { probes } = data;
  const STYLES = ["right", "part", "wrong", "missing"];
  const MARKS = [1, 0.5, 0, null];
  const searched = probes.map((one) =>
    [one.step, one.mode ?? "", ...["question", "expected", "actual", "reason"].map((name) => data.texts[one[name]])].join("\n").toLowerCase(),
  );

  function counted(one, name) {
    return one.tokens.find(([known]) => known === name)?.[1];
  }

  function graded(one) {
    return mark(STYLES[one.mark], one.shown);
  }

  function who(one) {
    const parts = [data.cases[one.case]];
    if (data.models.length > 1) parts.push(data.models[one.model]);
    if (data.epochs) parts.push(`epoch ${one.epoch}`);
    return parts.join(" · ");
  }

  function row(i) {
    const one = probes[i];
    const name = one.mode ? `${one.step} ${one.mode}` : one.step;
    return [make("span", { class: "unit" }, name), make("span", { class: "sub" }, make("span", {}, who(one)), graded(one))];
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

  // The same question of the same case, put to other models.
  const asked = Map.groupBy(probes.keys(), (i) => `${probes[i].case}/${probes[i].step}/${probes[i].epoch}`);

  function same(i) {
    const one = probes[i];
    return asked.get(`${one.case}/${one.step}/${one.epoch}`).filter((j) => j !== i);
  }

  function others(one, i) {
    const again = probes.flatMap((other, j) => (j !== i && other.case === one.case && other.step === one.step ? [j] : []));
    if (!again.length) return [];
    const items = again.map((j) => {
      const address = `#${new URLSearchParams({ item: probes[j].id })}`;
      return make("li", {}, make("a", { href: address }, who(probes[j])), " ", graded(probes[j]));
    });
    return [make("h4", {}, "The same probe"), make("ul", { class: "others" }, ...items)];
  }

  function show(i) {
    const one = probes[i];
    return [
      make("h3", {}, one.mode ? `${one.step} (${one.mode})` : one.step),
      make("p", { class: "where" }, `${one.type} · ${who(one)}`),
      quoted("Question", data.texts[one.question]),
      make("div", { class: "sides" }, quoted("Expected", data.texts[one.expected], "key"), quoted("Actual", data.texts[one.actual], "key")),
      make("p", { class: "grade" }, graded(one), " ", data.texts[one.reason]),
      figures([...one.more, ...one.tokens.map(shownFigure)]),
      ...others(one, i),
    ];
  }

  browse({
    ids: probes.map((one) => one.id),
    fits: {
      case: (i, value) => data.cases[probes[i].case] === value,
      category: (i, value) => data.categories[probes[i].category] === value,
      mode: (i, value) => probes[i].modes.some((at) => data.modes[at] === value),
      model: (i, value) => data.models[probes[i].model] === value,
      side: (i, side) => onSide(side, MARKS[probes[i].mark], same(i).filter((j) => rivals(probes[i].model).includes(probes[j].model)).map((j) => MARKS[probes[j].mark])),
    },
    orders: {
      worst: (i) => -[0, 1, 3, 2][probes[i].mark],
      longest: (i) => -(counted(probes[i], "context, measured") ?? -1),
      farthest: (i) => -(counted(probes[i], "since the nearest evidence") ?? -1),
    },
    text: (i) => searched[i],
    row,
    show,
  });
}
