// A provider of promptfoo that answers with the verdict of `tellapart compare`: the gate on two sets of results.
//
// Variables of a test: `baseline` and `candidate` (files or folders that tellapart reads, such as what
// `promptfoo eval --output` wrote), and what OPTIONS names. The same names in the provider's `config` are defaults.
// `config.command` is the program, by default `tellapart`; a list such as [python, -m, tellapart] has arguments.
const { spawn } = require("node:child_process");

const OPTIONS = {
  max_drop: "--max-drop",
  on_unclear: "--on-unclear",
  metric: "--metric",
  by: "--by",
  primary: "--primary",
  baseline_model: "--baseline",
  candidate_model: "--candidate",
  limits: "--limits",
  junit: "--junit",
  markdown: "--markdown",
  html: "--html",
};
// Passed, failed and unclear; any other code is an error.
const VERDICTS = [0, 3, 4];

function run(command, args) {
  return new Promise((resolve) => {
    // So wide that the verdict is one line.
    const env = { ...process.env, COLUMNS: "10000" };
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env });
    const text = { stdout: "", stderr: "" };
    for (const stream of Object.keys(text)) {
      child[stream].setEncoding("utf8");
      child[stream].on("data", (chunk) => (text[stream] += chunk));
    }
    child.on("error", (error) => resolve({ code: -1, stdout: "", stderr: `cannot run ${command}: ${error.message}` }));
    child.on("close", (code) => resolve({ code, ...text }));
  });
}

module.exports = class TellapartGate {
  constructor(options = {}) {
    this.config = options.config ?? {};
    this.providerId = options.id;
  }

  id() {
    return this.providerId ?? "tellapart";
  }

  async callApi(prompt, context) {
    const wanted = { ...this.config, ...(context?.vars ?? {}) };
    const absent = ["baseline", "candidate", "max_drop"].filter((name) => wanted[name] === undefined || wanted[name] === "");
    if (absent.length) return { error: `tellapart: the test has no variable ${absent.join(", ")}` };
    const [program, ...first] = [this.config.command ?? "tellapart"].flat();
    const chosen = Object.entries(OPTIONS).flatMap(([name, option]) =>
      wanted[name] === undefined || wanted[name] === "" ? [] : [`${option}=${wanted[name]}`],
    );
    const { code, stdout, stderr } = await run(program, [
      ...first,
      "compare",
      ...chosen,
      "--",
      String(wanted.baseline),
      String(wanted.candidate),
    ]);
    if (!VERDICTS.includes(code)) return { error: `tellapart: ${stderr.trim() || `ended with code ${code}`}` };
    const [verdict] = stdout.split("\n", 1);
    return { output: JSON.stringify({ verdict, exit_code: code, details: stdout.trimEnd() }, null, 2) };
  }
};
