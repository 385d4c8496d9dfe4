// What a view shows, as CSV and as Markdown.

// A cell of a spreadsheet that begins like a formula is text.
function csvCell(value) {
  const text = String(value ?? "");
  // Some programs separate cells at semicolons or tabs.
  const safe = isNaN(Number(text)) ? text.replace(/(?<=^|[;\t])(?=[=+\-@\t\r])/g, "'") : text;
  return /[",;\t\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function markdownCell(value) {
  return String(value ?? "").replace(/[\\|`*_<>[\]]/g, "\\$&").replace(/\s+/g, " ");
}

export const FORMS = {
  csv: { word: "CSV", type: "text/csv", text: (title, heads, rows) => [heads, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n" },
  md: {
    word: "Markdown", type: "text/markdown",
    text: (title, heads, rows) => [markdownCell(title), "", ...[heads, heads.map(() => null), ...rows].map((row, at) => (at === 1 ? `|${" --- |".repeat(row.length)}` : `| ${row.map(markdownCell).join(" | ")} |`)), ""].join("\n"),
  },
};

export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// The colour of a cell: the larger its share of the largest value, the darker.
export function shade(heat, share) {
  return `rgb(${heat} / ${(0.3 * Math.max(0, Math.min(1, share))).toFixed(3)})`;
}
