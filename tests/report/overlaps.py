"""What a browser is asked to see whether the texts of a chart can be read."""

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
