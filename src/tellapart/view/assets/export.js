// What a view shows, as CSV, as Markdown and as a picture.

// A cell of a spreadsheet that begins like a formula is text.
function csvCell(value) {
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) && isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
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

// Lines of a text that fit a width; names without spaces break behind their punctuation, and else anywhere.
function lines(context, text, width) {
  const wide = (part) => context.measureText(part.trimEnd()).width > width;
  const written = [""];
  for (let part of text.match(/[^\s\-_/.:=]*[\s\-_/.:=]?/g)) {
    if (wide(written.at(-1) + part) && written.at(-1)) written.push("");
    while (wide(part)) {
      let end = part.length - 1;
      while (end > 1 && wide(part.slice(0, end))) end--;
      written[written.length - 1] = part.slice(0, end);
      written.push("");
      part = part.slice(end);
    }
    written[written.length - 1] += part;
  }
  return written.map((line) => line.trimEnd());
}

const EDGE = 28, NAME = 210, GAP = 12, LINE = 19, MOST_PIXELS = 1.2e8, MOST_SIDE = 16_000;
const font = (size, weight = 400) => `${weight} ${size}px system-ui, sans-serif`;

// A canvas in the theme of the page: a title, lines below it, and tables whose cells are shaded by their share.
export function picture({ title, notes, maps }) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
  const laid = maps.map((map) => {
    context.font = font(14, 600);
    const words = [...map.rows.flatMap((row) => row.cells.map((cell) => cell.text)), ...map.rows.flatMap((row) => row.cells.map((cell) => cell.small ?? ""))];
    const cell = Math.max(78, ...words.map((text) => context.measureText(text).width * 0.95 + 2 * GAP));
    const name = Math.min(NAME, Math.max(60, ...[map.heads[0], ...map.rows.map((row) => row.name)].map((text) => context.measureText(text).width + GAP)));
    const heads = map.heads.map((text, at) => lines(context, text, (at ? cell : name) - GAP));
    const names = map.rows.map((row) => [...lines(context, row.name, name - GAP).map((text) => ({ text })), ...(row.note ? [{ text: row.note, isNote: true }] : [])]);
    return { ...map, cell, name, heads, names, headHeight: Math.max(...heads.map((one) => one.length)) * LINE + 8, heights: names.map((one) => Math.max(one.length * LINE, 40) + 10), width: name + cell * (map.heads.length - 1) };
  });
  const inner = Math.max(860, ...laid.map((map) => map.width));
  context.font = font(22, 650);
  const heading = lines(context, title, Math.min(inner, 1100));
  context.font = font(14);
  const below = notes.flatMap((note) => lines(context, note, Math.min(inner, 1100)));
  const captions = laid.map((map) => lines(context, map.caption, Math.min(inner, 1100)));
  const height = 2 * EDGE + heading.length * 30 + below.length * LINE + laid.reduce((sum, map, at) => sum + 26 + captions[at].length * LINE + map.headHeight + map.heights.reduce((a, b) => a + b, 0), 0);
  const size = [inner + 2 * EDGE, height];
  const scale = Math.min(2, MOST_SIDE / Math.max(...size), Math.sqrt(MOST_PIXELS / (size[0] * size[1])));
  [canvas.width, canvas.height] = size.map((side) => Math.ceil(side * scale));
  context.scale(scale, scale);
  context.textBaseline = "top";
  const write = (text, x, y, fill, as) => { context.font = as; context.fillStyle = fill; context.fillText(text, x, y); };
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, ...size);
  let y = EDGE;
  for (const line of heading) { write(line, EDGE, y, colour("ink"), font(22, 650)); y += 30; }
  for (const line of below) { write(line, EDGE, y, colour("muted"), font(14)); y += LINE; }
  laid.forEach((map, at) => {
    y += 18;
    for (const line of captions[at]) { write(line, EDGE, y, colour("muted"), font(14)); y += LINE; }
    y += 8;
    map.heads.forEach((head, column) => head.forEach((line, row) => write(line, EDGE + (column ? map.name + map.cell * (column - 1) + GAP : 0), y + (map.headHeight - 6) - (head.length - row) * LINE, colour("ink"), font(14, 600))));
    y += map.headHeight;
    map.rows.forEach((row, place) => {
      map.names[place].forEach((line, row_) => write(line.text, EDGE, y + 6 + row_ * LINE, colour(line.isNote ? "muted" : "ink"), font(line.isNote ? 12 : 14, line.isNote ? 400 : 600)));
      row.cells.forEach((cell, column) => {
        const x = EDGE + map.name + column * map.cell;
        context.fillStyle = shade(colour("heat"), cell.share);
        context.fillRect(x, y, map.cell, map.heights[place]);
        context.strokeStyle = colour("line");
        context.lineWidth = 1;
        context.strokeRect(x, y, map.cell, map.heights[place]);
        write(cell.text, x + GAP, y + 7, colour(cell.text ? "ink" : "muted"), font(15));
        if (cell.small) write(cell.small, x + GAP, y + 27, colour(cell.tone ?? "ink"), font(12));
      });
      y += map.heights[place];
    });
  });
  return canvas;
}

// The colour of a cell: the larger its share of the largest value, the darker.
export function shade(heat, share) {
  return `rgb(${heat} / ${(0.3 * Math.max(0, Math.min(1, share))).toFixed(3)})`;
}
