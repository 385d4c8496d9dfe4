// An assertion of promptfoo on the answer of tellapart_provider.cjs: the gate passed. An unclear gate does not pass,
// unless the test has `on_unclear: pass` or `warn`.
module.exports = (output) => {
  const { verdict, exit_code: code } = typeof output === "string" ? JSON.parse(output) : output;
  return { pass: code === 0, score: code === 0 ? 1 : 0, reason: verdict };
};
