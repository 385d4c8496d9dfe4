"""What a browser is asked to see whether the texts of a page and its charts can be read."""

CLIPPED = """() => {
  const clipped = [];
  const inner = (element) => `${element.localName}: ${element.textContent.trim().slice(0, 60)}`;
  for (const element of document.body.querySelectorAll(":not(svg, svg *)")) {
    if (!element.clientWidth || element.scrollWidth <= element.clientWidth + 1) continue;
    const { display, overflowX } = getComputedStyle(element);
    if (display !== "inline" && !["auto", "scroll"].includes(overflowX)) clipped.push(inner(element));
  }
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    for (const text of frame.width ? svg.querySelectorAll("text") : []) {
      const box = text.getBoundingClientRect();
      const outside = box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1;
      if (text.textContent.trim() && (outside || box.bottom > frame.bottom + 1)) clipped.push(inner(text));
    }
  }
  return clipped;
}"""

OVERLAPS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    // The frame of a turned text is wider than its letters.
    const turned = (text) => (text.getAttribute("transform") ?? "").includes("rotate(320)");
    const all = [...svg.querySelectorAll("text")];
    const texts = all.filter((text) => text.textContent.trim() && !turned(text));
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    for (const [name, box] of boxes) {
      if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(`${name} is clipped`);
    }
    boxes.forEach(([name, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (name !== other && wide > 2 && high > 4) found.push(`${name} lies on ${other}`);
    }));
  }
  return found;
}"""
