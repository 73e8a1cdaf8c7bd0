// Lays out one answer, which is part of the page or sent by a host (MCP Apps, revision 2026-01-26). Source text becomes
// text nodes, never markup, and nothing is loaded.
const page = document.getElementById("page");
const TOOLS = JSON.parse(document.getElementById("tools").textContent);
let shown = null, width = 0, open = null, order = "given", off = new Set(), seed = 0;

const link = (parent, text, url, kind) => {
  const node = make(parent, "a", text, kind);
  node.href = url;
  node.target = "_blank";
  node.rel = "noopener noreferrer";
  if (open) node.addEventListener("click", (event) => { event.preventDefault(); open(url); });
  return node;
};
// Addresses in a value become links.
const linked = (parent, text) => {
  let last = 0;
  for (const found of text.matchAll(/https?:\/\/[^\s,()<>"\u00b7]+/g)) {
    const url = found[0].replace(/[.;:!?']+$/, "");
    if (!web(url)) continue;
    parent.append(text.slice(last, found.index));
    link(parent, url.replace(/^https?:\/\/(www\.)?/, ""), url);
    last = found.index + url.length;
  }
  parent.append(text.slice(last));
};
const say = (text) => { document.getElementById("said").textContent = text; };

const citation = (item) => [
  `\u201c${item.title}\u201d${item.url ? `, ${host(item.url)}` : ""}, ${item.at == null ? "no date" : `${when(item.published)} (${item.confidence || "unknown"} confidence)`}.`,
  item.standing && `${standing(item.standing)}.`, item.url && `${item.url}.`, item.retrieved && `Retrieved ${when(item.retrieved)}.`,
].filter(Boolean).join(" ");
const copy = async (item, button) => {
  // A selection can be copied in a frame, too; the clipboard's own interface needs a permission, and may never answer.
  const text = citation(item), area = make(button.parentNode, "textarea", text, "copied");
  area.setAttribute("aria-label", "Citation");
  area.readOnly = true;
  area.select();
  let done = document.execCommand("copy");
  if (!done) done = await Promise.race([navigator.clipboard ? navigator.clipboard.writeText(text).then(() => true, () => false) : false, new Promise((end) => setTimeout(end, 600, false))]);
  if (done) { area.remove(); button.focus(); } else { area.className = "citation"; area.select(); }
  say(done ? `Copied: ${text}` : "The citation is selected; copy it with the keyboard.");
  button.textContent = done ? "Copied" : "Copy from here";
  setTimeout(() => { button.textContent = "Copy citation"; }, 2500);
};

// From a dot to its item and back.
const light = (node) => {
  for (const one of page.querySelectorAll(".lit")) one.classList.remove("lit");
  node.classList.add("lit");
  for (let up = node.parentNode; up && up !== page; up = up.parentNode) if (up.localName === "details") up.open = true;
  node.focus({ preventScroll: true });
  node.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
};
const toItem = (item) => { const node = document.getElementById(`item-${item.number}`); if (node) light(node); };
const toDot = (item) => { const node = page.querySelector(`.dot[data-number="${item.number}"]`); if (node) { roam(node); light(node); } };
const dots = () => [...page.querySelectorAll(".dot")].filter((one) => !one.classList.contains("off"));
const roam = (node) => { for (const one of page.querySelectorAll(".dot")) one.setAttribute("tabindex", one === node ? "0" : "-1"); };

const tooltips = (figure) => {
  const tip = make(figure, "div", null, "tip"), svg = figure.querySelector("svg.timeline");
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the link's own label says the same
  const tell = (event) => {
    const node = event.target.closest && event.target.closest(".dot");
    if (!node) return;
    const item = shown.items.find((one) => one.number === node.dataset.number);
    tip.replaceChildren();
    make(tip, "strong", cut(item.title, 120));
    make(tip, "span", told(item));
    tip.hidden = false;
    const box = figure.getBoundingClientRect(), at = node.getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(box.width - tip.offsetWidth, at.left + at.width / 2 - box.left - tip.offsetWidth / 2))}px`;
    tip.style.top = `${at.bottom - box.top + 8}px`;
  };
  const hide = () => { tip.hidden = true; };
  for (const name of ["pointerover", "focusin"]) svg.addEventListener(name, tell);
  for (const name of ["pointerout", "focusout"]) svg.addEventListener(name, hide);
  svg.addEventListener("keydown", (event) => {
    const all = dots(), at = all.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") hide();
    if (next == null || at < 0 || !all.length) return;
    event.preventDefault();
    const node = all[(next + all.length) % all.length];
    roam(node);
    node.focus();
  });
};

const fields = (parent, item) => {
  const box = make(parent, "p", null, "fields");
  const shownFields = item.fields.map(([name, value]) => [name, values(value, moment(item.retrieved))]).filter(([, value]) => value);
  shownFields.forEach(([name, value], at) => {
    const field = make(box, "span");
    make(field, "span", word(name).replaceAll("_", " "), "name");
    field.append(" ");
    linked(field, cut(value, 300));
    if (at < shownFields.length - 1) box.append(" \u00b7 ");
  });
  if (!shownFields.length) box.remove();
};
const row = (parent, item, more) => {
  const line = make(parent, "li");
  line.id = `item-${item.number}`;
  line.tabIndex = -1;
  line.dataset.from = item.from || "";
  const back = make(line, "a", null, "back");
  back.href = "#timeline";
  back.setAttribute("aria-label", `Item ${item.number} on the timeline`);
  back.addEventListener("click", (event) => { event.preventDefault(); toDot(item); });
  dot(draw(back, "svg", { viewBox: "0 0 26 26", "aria-hidden": "true" }), 13, 13, item);
  const body = make(line, "div", null, "body"), head = make(body, "h3");
  if (item.standing && item.standing.severity === "void") head.className = "void";
  if (item.url) link(head, item.title, item.url); else head.textContent = item.title;
  if (item.standing) make(body, "p", standing(item.standing), "standing");
  const about = make(body, "p", null, "quiet about");
  const pieces = [shown.lanes.length > 1 ? item.from : item.url ? host(item.url) : "", ...item.at == null ? ["no date"] : [item.age ? `${item.age} ago` : "", when(item.published)],
    item.confidence && item.confidence !== "unknown" ? `${item.confidence} confidence` : "", item.score == null ? "no score" : `score ${item.score} `, more && more.tokens != null ? counted(more.tokens, "token") : ""].filter(Boolean);
  pieces.forEach((text, at) => {
    // A separator stays with the piece before it.
    const piece = make(about, "span", text);
    if (text.startsWith("score ")) meter(piece, item.score);
    if (at < pieces.length - 1) { piece.append(" \u00b7"); about.append(" "); }
  });
  if (item.why) make(body, "p", item.why, "why");
  if (more && more.text && shown.kind === "budget") {
    const text = make(body, "pre", more.text.trim());
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", `Text of item ${item.number}`);
  } else {
    if (item.summary) make(body, "p", cut(item.summary, 600), "summary");
    fields(body, item);
  }
  const button = make(line, "button", "Copy citation", "copy");
  button.type = "button";
  button.setAttribute("aria-label", `Copy citation of item ${item.number}`);
  button.addEventListener("click", () => copy(item, button));
};
const rows = (parent, items, more) => {
  const box = make(parent, "ol", null, "items");
  for (const one of items) row(box, one, more && more(one));
};
const heading = (parent, text, count) => {
  const node = make(parent, "h2", text);
  if (count != null) make(node, "span", ` ${count}`, "count");
  return node;
};
const fold = (parent, text, count, isOpen) => {
  const node = make(parent, "details"), title = make(node, "summary");
  title.append(text);
  if (count != null) make(title, "span", ` ${count}`, "count");
  node.open = isOpen === true;
  return node;
};

const sorted = (items) => {
  const by = { newest: (a, b) => (b.at == null ? -Infinity : b.at) - (a.at == null ? -Infinity : a.at), score: (a, b) => (b.score == null ? -1 : b.score) - (a.score == null ? -1 : a.score) }[order];
  return by ? [...items].sort((a, b) => by(a, b) || a.number - b.number) : items;
};
const filter = () => {
  for (const node of page.querySelectorAll("[data-from]")) node.classList.toggle("off", off.has(node.dataset.from));
  for (const node of page.querySelectorAll("li[data-from]")) node.hidden = off.has(node.dataset.from);
  const first = dots()[0];
  if (first) roam(first);
};
const listed = (box) => {
  box.replaceChildren();
  const grouped = order === "given" && shown.lanes.length > 1;
  const groups = grouped ? shown.lanes.filter((lane) => lane.items.length) : [{ label: "Items", items: sorted(shown.items) }];
  for (const group of groups) {
    heading(box, group.label || "Items", group.items.length);
    rows(box, group.items);
  }
  filter();
};
const controls = (parent, sortable, again) => {
  const sources = [...new Set(shown.items.map((one) => one.from))].filter(Boolean);
  if (shown.items.length < 3 || !sortable && sources.length < 2) return;
  const box = make(parent, "div", null, "controls");
  if (sortable) {
    const label = make(box, "label", "Sort by "), select = make(label, "select");
    for (const [value, text] of [["given", sources.length > 1 ? "source" : "the source's order"], ["newest", "newest first"], ["score", "highest score"]]) make(select, "option", text).value = value;
    select.value = order;
    select.addEventListener("change", () => { order = select.value; again(); say(`Sorted by ${select.selectedOptions[0].textContent}`); });
  }
  if (sources.length < 2) return;
  const group = make(box, "div", null, "chips");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Show sources");
  for (const name of sources) {
    const chip = make(group, "button", `${name} ${shown.items.filter((one) => one.from === name).length}`, "chip");
    chip.type = "button";
    chip.setAttribute("aria-pressed", String(!off.has(name)));
    chip.addEventListener("click", () => {
      if (!off.delete(name)) off.add(name);
      chip.setAttribute("aria-pressed", String(!off.has(name)));
      filter();
      const left = shown.items.filter((one) => !off.has(one.from)).length;
      say(`${left} of ${counted(shown.items.length, "item")} shown`);
    });
  }
};

const missing = (parent, parts) => {
  if (!parts.length) return;
  heading(parent, "What is missing", parts.length);
  for (const part of parts) {
    const box = make(parent, "div", null, "failed");
    const line = make(box, "p");
    make(line, "strong", part.what);
    if (part.message) line.append(`: ${part.message}`);
    make(box, "p", [part.code.replaceAll("_", " "), part.wait].filter(Boolean).join(" \u00b7 "), "quiet");
    if (part.hint) { const hint = make(box, "p", "What to do: "); linked(hint, part.hint); }
  }
};
const leftOut = (parent) => {
  const count = [...shown.left.values()].flat().length;
  if (!count) return;
  heading(parent, "Left out", count);
  for (const [name, items] of shown.left) {
    const box = fold(parent, reason(name).replace(/^./, (c) => c.toUpperCase()), items.length);
    make(box.querySelector("summary"), "code", name);
    rows(box, items);
  }
};
const facts = (parent, pairs) => {
  if (!pairs.length) return;
  const box = make(parent, "dl", null, "facts");
  for (const [name, value] of pairs) {
    make(box, "dt", name);
    linked(make(box, "dd"), cut(value, 400));
  }
};

// What changed since the version before: old and new value beside each other.
const changes = (parent) => {
  const { added, changed, gone, unlisted, unknown, same, compared, from, to } = shown.change;
  const named = (box, one, kind) => {
    const line = make(box, "li", null, kind);
    if (one.url) link(line, one.title, one.url); else line.append(one.title);
    if (one.published) make(line, "span", ` ${when(one.published)}`, "quiet");
    if (one.note) make(line, "span", ` ${one.note}`, "quiet");
    if (one.item) {
      line.append(" ");
      const jump = make(line, "a", `item ${one.item.number}`, "jump");
      jump.href = `#item-${one.item.number}`;
      jump.addEventListener("click", (event) => { event.preventDefault(); toItem(one.item); });
    }
    return line;
  };
  const section = (title, all, kind) => {
    if (!all.length) return;
    heading(parent, title, all.length).classList.add(kind);
    const box = make(parent, "ul", null, `changes ${kind}`);
    for (const one of all) named(box, one);
  };
  if (!compared) return;
  section("Added", added, "added");
  if (changed.length) {
    heading(parent, "Changed", changed.length).classList.add("changed");
    const box = make(parent, "ul", null, "changes changed");
    for (const one of changed) {
      const table = make(named(box, one), "table"), head = make(make(table, "thead"), "tr"), body = make(table, "tbody");
      for (const title of ["Field", `Version ${word(from)}`, to === "now" ? "Now" : `Version ${word(to)}`]) make(head, "th", title).scope = "col";
      for (const field of [...one.fields].sort((a, b) => (b.field === "title") - (a.field === "title"))) {
        const line = make(body, "tr"), name = word(field.field).replace(/^fields\./, "").replaceAll("_", " ");
        make(line, "th", cut(name, 40)).scope = "row";
        for (const [side, value] of [["then", field.then], ["now", field.now]]) {
          const cell = make(line, "td", null, side);
          if (value == null) make(cell, "span", "nothing", "quiet");
          else if (field.field === "standing" && value.state) cell.textContent = standing(value);
          else linked(make(cell, side === "then" ? "del" : "ins"), cut(/_at$|^date/.test(word(field.field)) && moment(value) != null ? when(value) : values(value, null), 300));
        }
      }
    }
  }
  section("Gone", gone, "gone");
  section("No longer listed", unlisted, "unlisted");
  section("Could not be checked", [...unknown, ...shown.troubles], "unknown");
  if (same) make(parent, "p", `${counted(same, "item")} ${same === 1 ? "is" : "are"} the same, and older.`, "quiet");
  if (!added.length && !changed.length && !gone.length && !unlisted.length && !unknown.length && !shown.troubles.length) make(parent, "p", "No difference in what is known.");
};

const show = (view) => {
  shown = view;
  const focused = document.activeElement && document.activeElement.id;
  page.replaceChildren();
  document.title = `${view.question}${view.place}: ${view.verdict} \u2013 FreshContext`;
  width = Math.max(280, page.clientWidth - 2 * PADDING);
  const skip = make(page, "a", "Skip to the items", "skip");
  skip.href = "#items";
  skip.addEventListener("click", (event) => { event.preventDefault(); const at = document.getElementById("items"); at.focus(); at.scrollIntoView(); });
  const title = make(page, "h1");
  make(title, "span", `${view.question}${view.place}${view.verdict ? view.joined : ""}`, "question");
  make(title, "span", view.verdict, "verdict");
  if (view.lede) make(page, "p", view.lede, "lede");
  const counting = view.now && view.items.length ? `Ages are counted to ${when(view.now)}, when it was ${view.counted}.` : "";
  const asked = Object.entries(view.asked || {}).filter(([, value]) => typeof value !== "object" || list(value).some((one) => typeof one !== "object")).map(([name, value]) => `${name}=${cut(word(value), 80)}`).join(" ");
  make(page, "p", [cut([view.kind === "answer" || view.kind === "budget" ? view.tool : "", asked].filter(Boolean).join(" "), 200), counting].filter(Boolean).join(" \u00b7 "), "quiet");
  if (view.kind === "deliverable") {
    if (view.versions.length) page.append(axis(view, width));
    changes(page);
  }
  const went = (titled) => {
    heading(page, titled, view.went.length);
    if (view.room) page.append(bar(view, width));
    const texts = new Map(view.went.map((one) => [one.item, one]));
    if (view.went.length) rows(page, view.went.map((one) => one.item), (item) => texts.get(item));
    else make(page, "p", view.assembly || "Nothing.");
  };
  const isList = view.kind === "answer";
  if (view.kind === "budget") { went("The text that went in"); leftOut(page); }
  if (view.lanes.length) {
    if (!isList) heading(page, "By age");
    const figure = make(page, "figure");
    figure.id = "timeline";
    figure.append(timeline(view, width, toItem));
    tooltips(figure);
    if (view.items.some((one) => one.standing)) make(figure, "figcaption", "Crossed out: does not stand any more. With a ring: stands with a reservation.", "quiet");
  }
  const again = () => { if (isList) listed(document.getElementById("items")); };
  if (isList) missing(page, view.missing);
  controls(page, isList, again);
  const box = make(page, "div");
  box.id = "items";
  box.tabIndex = -1;
  if (isList && view.items.length) listed(box);
  if (view.kind === "records") {
    went("Shown to the model");
    if (view.delivered) {
      const text = make(fold(page, "The text as it was delivered"), "pre", view.delivered);
      text.tabIndex = 0;
      text.setAttribute("role", "region");
      text.setAttribute("aria-label", "The text as it was delivered");
    }
    leftOut(page);
  }
  if (view.kind === "deliverable" && view.went.length) { went("What it holds"); leftOut(page); }
  if (!isList) missing(page, view.missing);
  filter();
  if (view.sources && view.sources.length) {
    heading(page, "Sources", view.sources.length);
    const table = make(make(page, "div", null, "wide"), "table"), body = make(table, "tbody");
    for (const [name, ...cells] of view.sources) {
      const line = make(body, "tr");
      make(line, "th", name).scope = "row";
      for (const cell of cells) make(line, "td", cell);
    }
  }
  if (view.events.length) {
    const folded = fold(page, "Events", view.events.length), events = make(folded, "ol", null, "events");
    for (const one of view.events) { const line = make(events, "li"); make(line, "code", one.name); line.append(` ${one.at} `); make(line, "span", one.about, "quiet"); }
  }
  if (view.proofs.length) {
    heading(page, "Integrity");
    if (view.checked) make(page, "p", view.checked);
    facts(fold(page, "Hashes", view.proofs.length), view.proofs);
  }
  if (view.notes.length) {
    heading(page, "Notes");
    const notes = make(page, "ul");
    for (const note of view.notes) linked(make(notes, "li", null, "quiet"), note);
  }
  if (view.facts.length) { heading(page, isList ? "About this answer" : "About"); facts(page, view.facts); }
  make(page, "p", "Text from sources is external data, not instructions.", "quiet end");
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  tell();
};
const PADDING = 20;
