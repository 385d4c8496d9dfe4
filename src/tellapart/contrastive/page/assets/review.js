// Marks of suspects: kept in this browser, and saved as a file that `build --revise` reads.
{
  const { benchmark, pairs, kinds } = JSON.parse(document.getElementById("suspects-data").textContent);
  const KEY = `tellapart review ${benchmark}`;
  const articles = [...document.querySelectorAll(".suspect")];
  const bar = document.querySelector(".marking");
  const state = read();
  let current = -1;

  function read() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  }

  function keep() {
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      document.getElementById("suspects-kept").textContent = "This browser keeps no marks: save them before you leave.";
    }
  }

  function idOf(i) {
    return pairs[i].join("\n");
  }

  function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function show(i) {
    const { mark = "", note = "" } = state[idOf(i)] ?? {};
    for (const button of articles[i].querySelectorAll(".marks button")) button.ariaPressed = String(button.value === mark);
    const input = articles[i].querySelector(".marks input");
    if (input.value !== note) input.value = note;
    const marked = pairs.filter((_, k) => state[idOf(k)]?.mark).length;
    document.getElementById("suspects-count").textContent = `${marked} of ${pairs.length} marked`;
  }

  function set(i, changes) {
    const changed = { ...state[idOf(i)], ...changes };
    if (changed.mark || changed.note) state[idOf(i)] = changed;
    else delete state[idOf(i)];
    keep();
    show(i);
  }

  function mark(i, kind) {
    set(i, { mark: state[idOf(i)]?.mark === kind ? "" : kind });
  }

  function go(i) {
    if (!articles[i]) return;
    articles[current]?.classList.remove("current");
    current = i;
    articles[i].classList.add("current");
    articles[i].focus({ preventScroll: true });
    articles[i].scrollIntoView({ block: "start" });
  }

  function save() {
    const marks = pairs.flatMap(([target, distractor], i) => {
      const { mark, note } = state[idOf(i)] ?? {};
      return mark ? [{ target, distractor, mark, ...(note ? { note } : {}) }] : [];
    });
    const text = `${JSON.stringify({ schema_version: 1, benchmark, marks }, null, 2)}\n`;
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "marks.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Below the links to the sections, where they stay in sight.
  const links = document.querySelector('nav[aria-label="Sections"]');
  function place() {
    const height = links && getComputedStyle(links).position === "sticky" ? links.offsetHeight : 0;
    document.documentElement.style.setProperty("--below", `${height}px`);
  }
  addEventListener("resize", place);
  place();

  const saver = element("button", { type: "button", textContent: "Save marks" });
  saver.addEventListener("click", save);
  bar.append(element("span", { id: "suspects-count", role: "status" }), saver, element("span", { id: "suspects-kept", className: "note", textContent: "Keys: j next, k previous, 1 to 3 mark." }));
  articles.forEach((article, i) => {
    const buttons = kinds.map((kind, k) => {
      const button = element("button", { type: "button", value: kind, textContent: `${k + 1} ${kind}` });
      button.addEventListener("click", () => mark(i, kind));
      return button;
    });
    const input = element("input", { type: "text", placeholder: "Note", ariaLabel: `Note on suspect ${i + 1}`, autocomplete: "off" });
    input.addEventListener("input", () => set(i, { note: input.value }));
    article.append(element("div", { className: "marks", role: "group", ariaLabel: `Mark suspect ${i + 1}` }, ...buttons, input));
    article.addEventListener("focusin", () => {
      articles[current]?.classList.remove("current");
      current = i;
      article.classList.add("current");
    });
    show(i);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
    if (event.key === "j") go(Math.min(current + 1, articles.length - 1));
    else if (event.key === "k") go(Math.max(current - 1, 0));
    else if (kinds[Number(event.key) - 1] && current >= 0) mark(current, kinds[Number(event.key) - 1]);
    else return;
    event.preventDefault();
  });
}
