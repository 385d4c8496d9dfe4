// The scores of a history as a picture: a line a model, a band for its interval, a mark where it fell.
import { make } from "/assets/kit.js";

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 1200, HEIGHT = 360, LEFT = 52, RIGHT = 150, TOP = 14, BOTTOM = 34;

function shape(name, attributes, text) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function ticksOver(low, high) {
  const unit = 10 ** Math.floor(Math.log10((high - low) / 5));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((size) => (high - low) / size <= 5);
  return Array.from({ length: 7 }, (_, at) => step * (Math.ceil(low / step) + at)).filter((value) => value <= high);
}

export function lineChart(lines, runs, rates, title) {
  const every = lines.flatMap((line) => line.points).filter((one) => one.mean !== null);
  if (!every.length) return null;
  const ends = every.flatMap((one) => [one.mean, ...(one.interval ?? [])]);
  let [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (low === high) [low, high] = [low - 0.05, high + 0.05];
  const x = (run) => LEFT + ((WIDTH - LEFT - RIGHT) * run) / Math.max(1, runs - 1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - low)) / (high - low);
  const picture = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const value of ticksOver(low, high)) {
    const text = rates ? Number((100 * value).toPrecision(6)) : Number(value.toPrecision(6));
    picture.append(shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }), shape("text", { x: LEFT - 8, y: y(value) + 5, "text-anchor": "end" }, `${text}`.replace("-", "−")));
  }
  for (const run of new Set([0, Math.round((runs - 1) / 2), runs - 1])) picture.append(shape("text", { x: x(run), y: HEIGHT - 8, "text-anchor": run && run === runs - 1 ? "end" : run ? "middle" : "start" }, `run ${run + 1}`));
  // Names stand at the ends of their lines, one below the other.
  const last = lines.map((line, at) => ({ at, y: y(line.points.findLast((one) => one.mean !== null)?.mean ?? low) })).sort((a, b) => a.y - b.y);
  for (const [place, one] of last.entries()) if (place) one.y = Math.max(one.y, last[place - 1].y + 17);
  for (const [at, line] of lines.entries()) {
    const known = line.points.filter((one) => one.mean !== null), spread = known.filter((one) => one.interval);
    const group = shape("g", { class: `line line-${at % 6}` });
    const path = (points) => points.map(([run, value], place) => `${place ? "L" : "M"}${x(run).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    if (spread.length > 1) group.append(shape("path", { class: "doubt", d: `${path([...spread.map((one) => [one.run, one.interval[1]]), ...spread.toReversed().map((one) => [one.run, one.interval[0]])])}Z` }));
    group.append(shape("path", { class: "mean", d: path(known.map((one) => [one.run, one.mean])) }));
    for (const [first, , text] of line.drops) {
      const one = line.points.find((point) => point.run === first), mark = shape("text", { class: "fell", x: x(first), y: y(one?.mean ?? low) - 10, "text-anchor": "middle" }, "▼");
      mark.append(shape("title", {}, text));
      group.append(shape("line", { class: "since", x1: x(first), x2: x(first), y1: TOP, y2: HEIGHT - BOTTOM }), mark);
    }
    const name = line.model.length > 20 ? `${line.model.slice(0, 19)}…` : line.model;
    group.append(shape("text", { x: WIDTH - RIGHT + 8, y: last.find((one) => one.at === at).y + 5 }, name));
    picture.append(group);
  }
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores over the runs" }, picture);
}
