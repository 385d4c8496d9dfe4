// Conversations in the browser of browser.js.
{
  const FOUND_BY = ["no run", "run A", "run B", "both runs"];
  const [NOISE, RELEVANT, FAILED] = [0, 1, 2];
  const WORDS = { precision: "precision", recall: "recall", precision_union: "precision without verdicts", recall_union: "recall without verdicts" };

  function figure(value) {
    return value === null ? "–" : value.toFixed(3);
  }

  // What stands behind a file of ours: whoever found it too, else the judge.
  function standing([, found, verdict]) {
    if (found) return "found";
    if (verdict === RELEVANT) return "relevant";
    return verdict === NOISE ? "noise" : "open";
  }

  function countsOf(one) {
    const counts = { found: 0, relevant: 0, noise: 0, open: 0 };
    for (const file of one.ours) counts[standing(file)] += 1;
    return counts;
  }

  const counts = data.conversations.map(countsOf);
  const texts = data.conversations.map((one) =>
    [one.id, one.issue, ...[...one.ours, ...one.missed].map(([file]) => data.files[file])].join("\n").toLowerCase(),
  );

  function doubtful(run) {
    return run[2] !== null || run[3];
  }

  const JUDGED = {
    noise: ({ noise }) => noise > 0,
    open: ({ open }) => open > 0,
    nothing: ({ found, relevant }) => found + relevant === 0,
  };
  const MISSED = {
    some: (missed) => missed.length > 0,
    both: (missed) => missed.some(([, found]) => found === 3),
    none: (missed) => missed.length === 0,
  };

  function shareText([value, low, high, missing]) {
    const open = low !== high && low !== null && high !== null ? ` [${figure(low)}–${figure(high)}]` : "";
    return value === null && missing ? `–${open} (missing: ${missing})` : figure(value) + open;
  }

  function row(i) {
    const one = data.conversations[i];
    const share = one.shares.map(([value], at) => `${"PR"[at]} ${value === null ? "–" : value.toFixed(2)}`).join(" · ");
    const missed = one.missed.length ? `${one.missed.length} missed` : "none missed";
    const flags = [counts[i].open ? `${counts[i].open} without verdict` : "", one.runs.some(doubtful) ? "doubtful run" : ""];
    const warned = flags.filter(Boolean).join(" · ");
    return [
      make("span", { class: "unit" }, one.issue || one.id),
      make("span", { class: "sub" }, make("span", {}, share), make("span", {}, missed)),
      ...(warned ? [make("span", { class: "sub" }, make("span", { class: "open" }, warned))] : []),
    ];
  }

  function runName(one, which) {
    return `${FOUND_BY[which + 1]} (${data.explorers[one.runs[which][0]]})`;
  }

  function capital(text) {
    return text[0].toUpperCase() + text.slice(1);
  }

  const TAGS = { [RELEVANT]: ["right", "relevant"], [NOISE]: ["wrong", "not relevant"], [FAILED]: ["open", "verdict failed"] };

  function verdictCell([, found, verdict, action]) {
    if (found && verdict === undefined) return ["tag", mark("right", FOUND_BY[found])];
    const parts = found ? [mark("right", FOUND_BY[found]), make("br"), "judge: "] : [];
    const actionable = action === undefined || action === null ? [] : [make("br"), make("small", {}, `actionable: ${data.actions[action]}`)];
    return ["tag", ...parts, mark(...(TAGS[verdict] ?? ["open", "not judged"])), ...actionable];
  }

  function said(file) {
    const [, found, verdict, , text] = file;
    if (verdict === undefined) return found ? "" : "nobody put it to the judge";
    const words = data.texts[text];
    return verdict === FAILED ? `no verdict: ${words}` : words;
  }

  function ourFiles(one) {
    if (!one.ours.length) return [make("h4", {}, "What we found"), make("p", { class: "note" }, "Nothing.")];
    const rows = one.ours.map((file, i) => [["place", String(i + 1)], ["path", data.files[file[0]]], verdictCell(file), ["said", said(file)]]);
    return [
      make("h4", {}, `What we found, in our order: ${many(one.ours.length, "file")}`),
      table(["", "File", "Found by, or verdict", "The judge's reasoning"], rows, "What we found", "ours"),
    ];
  }

  function missedFiles(one) {
    if (!one.missed.length) return [make("h4", {}, "We missed nothing that a run found")];
    const rows = one.missed.map(([file, found]) => [["path", data.files[file]], ["tag", FOUND_BY[found]]]);
    return [make("h4", {}, `What they found and we missed: ${many(one.missed.length, "file")}`), table(["File", "Found by"], rows, "What we missed")];
  }

  function whoFound(one, i) {
    const inAny = (found) => [...one.ours, ...one.missed].filter((file) => file[1] === found).length;
    const ours = (found) => one.ours.filter((file) => file[1] === found).length;
    const rows = [3, 1, 2].map((found) => {
      const name = found === 3 ? "both runs" : `only ${runName(one, found - 1)}`;
      return [["", name], ["figure", String(inAny(found))], ["figure", String(ours(found))], ["figure", String(inAny(found) - ours(found))]];
    });
    const { relevant, noise, open } = counts[i];
    const failed = one.ours.filter(([, found, verdict]) => !found && verdict === FAILED).length;
    const without = failed ? `${open} without a verdict (${failed} failed)` : `${open} without a verdict`;
    const alone = `Only we found ${many(relevant + noise + open, "file")}: ${relevant} relevant by the judge, ${noise} not relevant, ${without}.`;
    return [make("h4", {}, "Who found what"), table(["Found by", "Files", "We found", "We missed"], rows, "Who found what"), make("p", { class: "note" }, alone)];
  }

  function doubts(one) {
    return one.runs.flatMap((run, which) => {
      const name = capital(runName(one, which));
      if (run[2] !== null) return [make("p", { class: "doubt" }, `${name} failed: ${run[2]}`)];
      return run[3] ? [make("p", { class: "doubt" }, `${name} is suspect: it found no file and reports no error.`)] : [];
    });
  }

  function retests(one) {
    return one.runs.flatMap((run, which) => {
      if (run[4] === null) return [];
      const [found, again] = run[4];
      return [make("p", { class: "note" }, `Asked again, ${runName(one, which)} found ${many(found, "file")}, ${again} of them among its ${run[1]}.`)];
    });
  }

  function terms(one) {
    return one.terms.length ? [make("h4", {}, "Search terms"), make("p", {}, one.terms.join(", "))] : [];
  }

  function assessment(one) {
    const found = one.assessment;
    if (!found) return [];
    const heading = make("h4", {}, "The search as a whole, by the judge");
    if (found.failed) return [heading, make("p", { class: "doubt" }, `There is no assessment: ${found.failed}`)];
    const scores = Object.entries(found.scores).map(([name, score]) => `${name.replaceAll("_", " ")} ${score}`).join(" · ");
    const area = found.area ? ` The judge's area: ${found.area}.` : "";
    return [heading, make("p", {}, `${scores} (of 5).${area}`), make("p", { class: "note" }, found.reasoning)];
  }

  function show(i) {
    const one = data.conversations[i];
    const sure = one.certainty === null ? "" : ` · classified with confidence ${figure(one.certainty)}`;
    const shares = one.shares.map((share, at) => `${WORDS[data.names[at]]} ${shareText(share)}`).join(", ");
    return [
      make("h3", {}, one.id),
      make("p", { class: "where" }, `${data.areas[one.area]}${sure}`),
      make("blockquote", {}, one.issue || "(no summary)"),
      make("p", { class: "reading" }, `${capital(shares)}.`),
      ...doubts(one),
      ...ourFiles(one),
      ...missedFiles(one),
      ...whoFound(one, i),
      ...retests(one),
      ...terms(one),
      ...assessment(one),
    ];
  }

  browse({
    ids: data.conversations.map((one) => one.id),
    fits: {
      area: (i, value) => data.areas[data.conversations[i].area] === value,
      verdict: (i, value) => JUDGED[value](counts[i]),
      missed: (i, value) => MISSED[value](data.conversations[i].missed),
      runs: (i) => data.conversations[i].runs.some(doubtful),
    },
    orders: {
      first: (i) => data.conversations[i].shares[0][0] ?? 2,
      second: (i) => data.conversations[i].shares[1][0] ?? 2,
      missed: (i) => -data.conversations[i].missed.length,
    },
    text: (i) => texts[i],
    row,
    show,
  });
}
