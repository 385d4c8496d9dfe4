// Answers labelled one by one: neither a model nor the name of a run is on the page.
import { address, call, changed, counted, make, show, state } from "/assets/kit.js";

const post = (path, body) => call(path, undefined, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// What a comparison says of labels: a sheet to draw, or how far it is filled.
export function labelling(labels, query) {
  const runs = query.getAll("run"), start = () => { location.hash = address("label", runs.map((run) => ["run", run])); };
  if (labels.sheet) {
    return [make("p", {}, labels.answers === undefined ? `Labels of ${labels.sheet}.` : `${labels.labelled.toLocaleString("en")} of ${counted(labels.answers, "answer")} in ${labels.sheet} are labelled.`, labels.problem && ` ${labels.problem}`),
      labels.answers !== undefined && make("button", { class: "first", onclick: start }, "Label answers")];
  }
  const budget = make("input", { type: "number", min: 20, value: "60" });
  const begin = async (event) => {
    event.target.disabled = true;
    try { await post("sheet", { runs, budget: Number(budget.value) }); start(); } catch (error) { state.textContent = error.message; event.target.disabled = false; }
  };
  return [make("p", {}, "Score a few answers yourself, without knowing whose they are: your scores correct the verdict."),
    make("div", { class: "bar" }, make("label", {}, "Items, drawn at random", budget), make("button", { class: "first", onclick: begin }, "Draw and label"))];
}

// The view; gives the keys.
export async function labelView(query, setKeys, isShown) {
  const runs = query.getAll("run"), comparison = address("compare", runs.map((run) => ["run", run]));
  let isSaving = false;
  const go = async (code) => draw(await call("label", changed(query, { code })));
  const attempt = (task) => async () => {
    if (isSaving) return;
    isSaving = true;
    try { state.textContent = ""; await task(); } catch (error) { state.textContent = error.message; } finally { isSaving = false; }
  };
  function draw(data) {
    if (!isShown()) return;
    history.replaceState(null, "", address("label", changed(query, { code: data.code })));
    const done = `${(data.answers - data.left).toLocaleString("en")} of ${counted(data.answers, "answer")} labelled, ${data.left.toLocaleString("en")} left`;
    const back = data.before && attempt(() => go(data.before)), skip = data.after && attempt(() => go(data.after));
    const moves = make("div", { class: "bar" }, make("button", { onclick: back, disabled: !back }, make("kbd", {}, "k"), " back"), make("button", { onclick: skip, disabled: !skip }, make("kbd", {}, "j"), " skip"));
    const steps = [["runs", "#/"], ["compare", comparison], ["label"]];
    if (data.code === null) {
      setKeys({ k: back });
      show("Label", steps, make("h1", {}, "All answers are labelled."), make("p", { role: "status" }, done), make("p", {}, make("a", { href: comparison }, "The verdict, with and without the labels")), moves);
      return;
    }
    const save = (score) => attempt(async () => draw(await post("label", { runs, code: data.code, human: score })));
    const scores = data.steps.map((score, step) => [String(Number.isInteger(score) && data.steps.every(Number.isInteger) ? score : step), score]);
    const typed = make("input", { type: "number", step: "any", min: data.limits[0], max: data.limits[1], value: data.human ?? "", onkeydown: (event) => {
      if (event.key === "Escape") typed.blur();
      if (event.key === "Enter" && typed.value !== "") save(Number(typed.value))();
    } });
    const isGraded = scores.length !== 2;
    setKeys({ ...Object.fromEntries(scores.map(([key, score]) => [key, save(score)])), k: back, j: skip, ...(isGraded && { n: (event) => { event.preventDefault(); typed.focus(); typed.select(); } }) });
    show("Label", steps,
      make("h1", {}, `Answer ${data.place.toLocaleString("en")}: ${data.item}`),
      make("p", { class: "muted", role: "status" }, done, data.human !== null && `. Labelled ${data.human}`),
      data.texts.length === 0 && make("p", {}, "These scores hold no texts: only the id of the item is known."),
      data.texts.map((text) => make("div", {}, make("h2", {}, text.name), make("pre", { tabindex: "0", role: "region", "aria-label": text.name }, text.text))),
      make("div", { class: "bar" }, scores.map(([key, score]) => make("button", { onclick: save(score), "aria-pressed": data.human !== null && Number(data.human) === score ? "true" : "false" }, make("kbd", {}, key), ` score ${score}`)),
        isGraded && make("label", {}, `Another score from ${data.limits[0]} to ${data.limits[1]}: n, the number, Enter`, typed)),
      moves);
  }
  draw(await call("label", query));
}
