// Drawings: the timeline, the bar of a budget, the axis of versions, and the marks of items and scores.
const DOT = 10, STEP = 24, GAP = 80, COLUMN = 4;
const TICKS = [[0, "now"], [1, "1 hour"], [6, "6 hours"], [24, "1 day"], [72, "3 days"], [168, "1 week"], [720, "1 month"],
  [4380, "6 months"], [8760, "1 year"], [43800, "5 years"], [175200, "20 years"], [876000, "100 years"]];
// A score fades from green over amber to brown, as a leaf does.
const STOPS = [[0, [138, 106, 88]], [50, [224, 172, 58]], [100, [15, 122, 96]]];
const svgSpace = "http://www.w3.org/2000/svg";

const make = (parent, name, text, kind) => {
  const node = document.createElement(name);
  if (text != null) node.textContent = text;
  if (kind) node.className = kind;
  parent.append(node);
  return node;
};
const draw = (parent, name, places, text) => {
  const node = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(places)) node.setAttribute(key, value);
  if (text != null) node.textContent = text;
  if (parent) parent.append(node);
  return node;
};
const colour = (value) => {
  const upper = STOPS.findIndex(([at]) => at >= value), [a, b] = [STOPS[Math.max(0, upper - 1)], STOPS[upper]];
  const share = b[0] === a[0] ? 0 : (value - a[0]) / (b[0] - a[0]);
  return a[1].map((from, at) => Math.round(from + (b[1][at] - from) * share));
};
const rgb = (value) => `rgb(${colour(value)})`;
const luminance = (of) => of.map((one) => one / 255).map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4).reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
// White or black, whichever has more contrast; one of the two always has 4.5.
const ink = (of) => 1.05 / (luminance(of) + 0.05) > (luminance(of) + 0.05) / 0.05 ? "on-dark" : "on-light";

const dot = (parent, x, y, item) => {
  const scored = item.at != null && item.score != null;
  // What was left out is drawn empty, with the colour of its score as a rim.
  const filled = scored && !item.out;
  draw(parent, "circle", { cx: x, cy: y, r: filled ? DOT : DOT - 0.5, ...filled ? { fill: rgb(item.score), class: "full" } : scored ? { stroke: rgb(item.score), class: "empty" } : { class: "hollow" } });
  draw(parent, "text", { x, y: y + 3.5, class: "number " + (filled ? ink(colour(item.score)) : "") }, item.number);
  if (!item.standing) return;
  // What is void is crossed out; what stands with a reservation has a ring.
  if (item.standing.severity === "void") draw(parent, "path", { d: `M${x - DOT} ${y + DOT}L${x + DOT} ${y - DOT}`, class: "crossed" });
  else draw(parent, "circle", { cx: x, cy: y, r: DOT + 2.5, class: "ring" });
};
const told = (item) => [item.at == null ? "no date" : `${item.age ? item.age + " ago, " : ""}${when(item.published)}`, item.score == null ? "no score" : `score ${item.score} of 100`, item.out && `left out: ${item.out}`].filter(Boolean).join(" \u00b7 ");

const timeline = (view, room, go) => {
  const narrow = room < 620, labelled = view.lanes.some((lane) => lane.label);
  const left = labelled && !narrow ? 206 : 14, undatedRoom = view.items.some((one) => one.hours == null) ? 82 : 10, right = room - undatedRoom - 14;
  const oldest = Math.max(24, ...view.items.map((one) => one.from_hours).filter((hours) => hours != null)) * 1.25;
  const place = (hours) => left + DOT + (right - left - 2 * DOT) * Math.log10(1 + hours) / Math.log10(1 + oldest);
  const svg = draw(null, "svg", { role: "group", "aria-label": "Timeline: one link an item, by age; arrow keys move between them", class: "timeline" });
  const lanes = draw(svg, "g", { "aria-hidden": "true" }), lines = draw(svg, "g", { "aria-hidden": "true" }), words = draw(svg, "g", { "aria-hidden": "true" }), marks = draw(svg, "g", {});
  let y = 26;
  const place_dot = (one, x, height) => {
    const link = draw(marks, "a", { href: `#item-${one.number}`, class: "dot", tabindex: "-1", "data-number": one.number, "data-from": one.from || "", "aria-label": `${one.number}. ${one.title}: ${told(one)}` });
    if (one.to_hours !== one.from_hours) draw(link, "rect", { x: place(one.to_hours), y: height - 2, width: Math.max(1, place(one.from_hours) - place(one.to_hours)), height: 4, rx: 2, class: "day" });
    dot(link, x, height, one);
    link.addEventListener("click", (event) => { event.preventDefault(); go(one); });
  };
  for (const lane of view.lanes) {
    const top = y, middle = lane.half && lane.half < oldest ? lane.half : null;
    const name = lane.half ? `half-life ${half(lane.half)}` : "";
    if (narrow && lane.label) {
      const text = draw(words, "text", { x: left, y: y + 16, class: "label" }, cut(lane.label, Math.floor(room / (name ? 13 : 8))));
      if (name) draw(text, "tspan", { class: "quiet" }, ` \u00b7 ${name}`);
      y += 20;
    } else if (!lane.label && middle) y += 16;
    const dated = lane.items.filter((one) => one.hours != null).sort((a, b) => a.hours - b.hours);
    const ends = [];
    let rows = 0;
    for (const one of dated) {
      const x = place(one.hours);
      let row = ends.findIndex((end) => x - end >= STEP);
      if (row < 0) row = ends.length;
      ends[row] = x;
      rows = Math.max(rows, row + 1);
      place_dot(one, x, y + 18 + row * STEP);
    }
    lane.items.filter((one) => one.hours == null).forEach((one, at) => {
      rows = Math.max(rows, Math.floor(at / 3) + 1);
      place_dot(one, right + 26 + (at % 3) * STEP, y + 18 + Math.floor(at / 3) * STEP);
    });
    y += rows * STEP;
    if (!narrow && lane.label && name) y = Math.max(y, top + 30);
    for (const strip of lane.strips) {
      const text = `${lane.label === strip.what ? "" : strip.what + ": "}${strip.code.replaceAll("_", " ")}: ${strip.message}`;
      draw(words, "rect", { x: left, y: y + 6, width: room - left - 8, height: 20, rx: 4, class: "strip" });
      draw(words, "text", { x: left + 8, y: y + 20, class: "strip-words" }, cut(text, Math.floor((room - left - 24) / 6.6)));
      y += STEP;
    }
    if (!lane.items.length && !lane.strips.length) {
      draw(words, "text", { x: left + 8, y: y + 20, class: "quiet" }, "nothing found");
      y += STEP;
    }
    y += 12;
    draw(lanes, "rect", { x: 0, y: top, width: room, height: y - top - 3, rx: 6, class: "lane" });
    // The score at each age: how its source ages, drawn behind its items.
    if (lane.half && dated.length) {
      for (let x = left; x < right - 4; x += COLUMN) {
        const hours = 10 ** ((x - left - DOT) / (right - left - 2 * DOT) * Math.log10(1 + oldest)) - 1, value = 100 * 2 ** (-Math.max(0, hours) / lane.half);
        const height = (y - top - 3) * value / 100;
        if (height >= 0.5) draw(lanes, "rect", { x, y: y - 3 - height, width: COLUMN, height, fill: rgb(value), class: "decay" });
      }
      if (middle) draw(lines, "line", { x1: place(middle), x2: place(middle), y1: top, y2: y - 3, class: "half" });
      const early = place(middle || 0) < room * 0.6;
      if (middle && !lane.label) draw(words, "text", { x: place(middle) + (early ? 5 : -5), y: top + 14, class: "quiet", "text-anchor": early ? "start" : "end" }, `${name}: score 50`);
    }
    if (!narrow && lane.label) {
      draw(words, "text", { x: 12, y: top + 21, class: "label" }, cut(lane.label, 24));
      if (name) draw(words, "text", { x: 12, y: top + 35, class: "quiet" }, name);
    }
  }
  if (view.items.some((one) => one.hours != null)) {
    let last = -GAP;
    for (const [hours, name] of TICKS) {
      const x = place(hours);
      if (hours > oldest || x - last < GAP || x > right - 8) continue;
      last = x;
      draw(lines, "line", { x1: x, x2: x, y1: 22, y2: y - 3, class: "grid" });
      draw(words, "text", { x, y: 15, class: "quiet", "text-anchor": hours === 0 ? "start" : "middle" }, hours === 0 ? name : name + " ago");
    }
  }
  if (undatedRoom > 10) {
    draw(lines, "line", { x1: right + 8, x2: right + 8, y1: 22, y2: y - 3, class: "grid", "stroke-dasharray": "3 3" });
    draw(words, "text", { x: right + 16, y: 15, class: "quiet" }, "no date");
  }
  svg.setAttribute("viewBox", `0 0 ${room} ${y}`);
  svg.setAttribute("height", y);
  return svg;
};

// The bar of a budget: one piece for each item that went in, as wide as its tokens, and the room that is left.
const bar = (view, width) => {
  const pieces = view.went.filter((one) => one.tokens > 0), scale = width / Math.max(view.room.most, 1, pieces.reduce((sum, one) => sum + one.tokens, 0));
  const svg = draw(null, "svg", { role: "img", "aria-label": `The budget: ${pieces.map((one) => `item ${one.item.number} took ${one.tokens}`).join(", ")}; ${view.room.words} used`, viewBox: `0 0 ${width} 30`, height: 30, class: "budget" });
  draw(svg, "rect", { x: 0.5, y: 2.5, width: width - 1, height: 25, rx: 5, class: "free" });
  let x = 0;
  for (const { item, tokens } of pieces) {
    const wide = tokens * scale, of = item.score == null ? [120, 128, 140] : colour(item.score);
    draw(svg, "rect", { x, y: 2, width: Math.max(1, wide - 2), height: 26, rx: 4, fill: `rgb(${of})`, class: "part" });
    if (wide > 18) draw(svg, "text", { x: x + wide / 2 - 1, y: 19, class: "number " + ink(of) }, item.number);
    x += wide;
  }
  const rest = view.room.most - view.room.used;
  if (rest > 0 && width - x > 90) draw(svg, "text", { x: x + 8, y: 19, class: "quiet" }, `${rest} free`);
  return svg;
};

// The versions in the order of their making, the compared ones filled.
const axis = (view, width) => {
  const all = view.versions.slice(-Math.max(2, Math.floor(width / 92))), step = Math.min(150, (width - 80) / Math.max(1, all.length - 1));
  const words = all.map((one) => `version ${one.number} of ${one.day}, ${counted(one.items, "item")}${one.to ? ", this one" : one.from ? ", compared with it" : ""}`);
  const svg = draw(null, "svg", { role: "img", "aria-label": `Versions: ${words.join("; ")}`, viewBox: `0 0 ${width} 62`, height: 62, class: "versions" });
  const x = (at) => 40 + at * step;
  if (all.length > 1) draw(svg, "line", { x1: x(0), x2: x(all.length - 1), y1: 16, y2: 16, class: "grid" });
  all.forEach((one, at) => {
    draw(svg, "circle", { cx: x(at), cy: 16, r: DOT + 1, class: one.to ? "this" : one.from ? "base" : "other" });
    draw(svg, "text", { x: x(at), y: 19.5, class: "number" + (one.to ? " on-dark" : "") }, one.number);
    draw(svg, "text", { x: x(at), y: 43, class: one.to ? "strong" : "quiet", "text-anchor": "middle" }, one.day);
    draw(svg, "text", { x: x(at), y: 57, class: "quiet", "text-anchor": "middle" }, counted(one.items, "item"));
  });
  return svg;
};

// A score as a bar beside its number.
const meter = (parent, value) => {
  const svg = draw(parent, "svg", { viewBox: "0 0 52 8", width: 52, height: 8, "aria-hidden": "true", class: "meter" });
  draw(svg, "rect", { x: 0.5, y: 0.5, width: 51, height: 7, rx: 3.5, class: "free" });
  if (value > 0) draw(svg, "rect", { x: 0, y: 0, width: Math.max(4, 52 * value / 100), height: 8, rx: 4, fill: rgb(value) });
};
