  // Language models: what they said each time that they were asked, in place of scores and margins.
  const scoreReading = reading;
  const plainDetail = showDetail;

  function times(number) {
    return ["never", "once", "twice"][number] ?? `${number} times`;
  }

  reading = (item, model) => {
    const asked = data.askings[model]?.[item] ?? [];
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
  };

  function askingsOf(item, model) {
    const asked = data.askings[model]?.[item] ?? [];
    if (!asked.length) return [];
    const unread = asked.some((asking) => asking[6] !== null);
    const rows = asked.map(([order, time, slot, picked, rank, confidence, why]) => {
      const outcome = why ? "missing" : rank === 1 ? "right" : "wrong";
      const told = [slot, picked, rank].map((number) => (number === null ? "–" : String(number)));
      return [`#${order}.${time}`, outcomeTag(outcome), ...told, figure(confidence), ...(unread ? [why ?? ""] : [])];
    });
    const headings = ["asking", "outcome", "target in slot", "put first", "rank of the target", "stated confidence"];
    const where = `Its reasoning is in calls.jsonl of the run directory, under the question ${data.items[item][0]}#0.0`;
    const more = asked.length > 1 ? " and so on: the order, and which time it was asked in that order." : ".";
    return [
      table(unread ? [...headings, "why there is no answer"] : headings, rows),
      make("p", { class: "note" }, where + more),
    ];
  }

  showDetail = (item) => {
    plainDetail(item);
    if (item !== undefined) detail.querySelector(".panes").after(...askingsOf(item, modelIndex()));
  };

