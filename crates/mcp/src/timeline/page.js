"use strict";
// Draws one answer, which is part of the page or sent by a host (MCP Apps, revision 2026-01-26). Source text becomes text
// nodes, never markup, and nothing is loaded.
(() => {
  const HOUR = 3600000, DOT = 10, STEP = 23, GAP = 60;
  const TICKS = [[0, "now"], [1, "1 hour"], [6, "6 hours"], [24, "1 day"], [72, "3 days"], [168, "1 week"], [720, "1 month"],
    [4380, "6 months"], [8760, "1 year"], [43800, "5 years"], [175200, "20 years"], [876000, "100 years"]];
  const STOPS = [[0, [176, 74, 24]], [50, [222, 166, 38]], [100, [31, 111, 191]]];
  const page = document.getElementById("page");
  const svgSpace = "http://www.w3.org/2000/svg";
  let shown = null, width = 0, open = null;

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
    parent.append(node);
    return node;
  };
  const word = (value) => value == null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const sentence = (what, more) => [word(what), more].filter(Boolean).join(/[.?!]$/.test(word(what)) ? " " : ": ");
  const cut = (text, length) => text.length > length ? text.slice(0, Math.max(1, length - 1)) + "\u2026" : text;
  const list = (value) => Array.isArray(value) ? value : [];
  const web = (url) => { try { return /^https?:$/.test(new URL(url).protocol) ? url : null; } catch { return null; } };
  const moment = (text) => { const at = Date.parse(text || ""); return Number.isNaN(at) ? null : at; };
  const minute = (text) => moment(text) == null ? word(text) : new Date(moment(text)).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  const score = (value) => typeof value === "number" && value >= 0 && value <= 100 ? value : null;

  const colour = (value) => {
    const upper = STOPS.findIndex(([at]) => at >= value);
    const [a, b] = [STOPS[Math.max(0, upper - 1)], STOPS[upper]];
    const part = b[0] === a[0] ? 0 : (value - a[0]) / (b[0] - a[0]);
    return a[1].map((from, at) => Math.round(from + (b[1][at] - from) * part));
  };
  const dot = (parent, x, y, item) => {
    const dated = item.at != null;
    if (dated && item.score != null) {
      const [r, g, b] = colour(item.score);
      draw(parent, "circle", { cx: x, cy: y, r: DOT, fill: `rgb(${r},${g},${b})` });
      const dark = 0.299 * r + 0.587 * g + 0.114 * b < 125;
      draw(parent, "text", { x, y: y + 3.5, class: "number " + (dark ? "on-dark" : "on-light") }, item.number);
    } else {
      draw(parent, "circle", { cx: x, cy: y, r: DOT - 1, class: "hollow" });
      draw(parent, "text", { x, y: y + 3.5, class: "number" }, item.number);
    }
    if (item.standing) stands(parent, x, y, item.standing.severity);
  };
  // What is void is crossed out; what stands with a reservation has a ring.
  const stands = (parent, x, y, severity) => {
    if (severity === "void") draw(parent, "path", { d: `M${x - DOT} ${y + DOT}L${x + DOT} ${y - DOT}`, class: "crossed" });
    else draw(parent, "circle", { cx: x, cy: y, r: DOT + 1, class: "ring" });
  };

  // A state of an item in words.
  const standing = ({ state, since, by, reason, replaced_by }) => [
    `Standing: ${word(state)}`, since && `since ${word(since).slice(0, 10)}`, by && by.who && `says ${word(by.who)}`,
    reason && `\u201c${cut(word(reason), 200)}\u201d`,
    replaced_by && `replaced by ${word(replaced_by.id) || word(replaced_by.url) || word(replaced_by.title)}`,
  ].filter(Boolean).join(" \u00b7 ");

  // One lane for the items that a budget selected, and one for those that it omitted, each with its reason.
  const chosen = (view, selected, omitted, find) => {
    const parts = list(selected).map((one) => ({ item: find(one), tokens: one.tokens })).filter((part) => part.item);
    for (const { item, tokens } of parts) if (tokens != null) item.fields.push(["tokens", tokens]);
    const out = list(omitted).map((one) => [find(one), one]).filter(([item]) => item);
    for (const [item, one] of out) item.summary = `Left out, ${word(one.reason)}: ${word(one.detail)}`;
    view.lanes.push({ label: "Selected", items: parts.map((part) => part.item), strips: [] });
    if (out.length) view.lanes.push({ label: "Left out", items: out.map(([item]) => item), strips: [] });
    view.parts = parts.filter((part) => part.tokens > 0);
  };
  const budget = (view, given) => {
    if (given.actual_tokens == null) return;
    view.room = given.max_tokens == null ? given.actual_tokens : given.max_tokens - (given.reserved_tokens || 0);
    view.facts.push(["Budget", `${given.actual_tokens} of ${view.room} tokens (${word(given.tokenizer)}, ${word(given.token_counts)})`]);
    for (const one of list(given.truncation_records)) view.notes.push(`Cut: ${word(one.loss_notes)}`);
  };
  const missing = (view, one) => view.missing.push({ what: word(one.question), code: `missing, severity ${word(one.severity)}`, message: list(one.candidate_sources).map((source) => word(source.how)).filter(Boolean).join(" ") });

  // Context records: the offered items, the selection, and the events.
  const bundle = (view, fact, item, records) => {
    const envelope = records.context_envelope, sources = new Map(list(records.context_source_ref).map((one) => [one.source_id, one]));
    view.title = "Context records";
    view.now = envelope.created_at;
    view.counted = "recorded";
    fact("Context", envelope.context_id);
    fact("Tool", (envelope.metadata || {}).tool);
    fact("Producer", envelope.producer && `${word(envelope.producer.id)} ${word(envelope.producer.version)}`);
    const of = new Map();
    for (const one of list(records.context_item)) {
      const fresh = one.freshness || {}, source = sources.get(list(one.source_refs)[0]) || {};
      of.set(one.item_id, item({
        title: one.title || one.item_id, url: source.uri, published_at: fresh.published_at, date_confidence: fresh.date_confidence,
        freshness_score: fresh.freshness_score, summary: list((one.metadata || {}).why).map(word).join(" "),
        fields: { id: one.item_id, state: one.lifecycle, visibility: one.visibility, decision: fresh.decision, trust: one.trust_level },
      }));
    }
    const blocks = new Map(list(records.context_assembly).flatMap((one) => list(one.ordered_blocks)).flatMap((block) => list(block.item_refs).map((id) => [id, block.tokens])));
    const selections = list(records.context_selection);
    for (const one of selections) {
      chosen(view, list(one.selected_item_refs).map((id) => ({ id, tokens: blocks.get(id) })), one.omitted_item_refs, (part) => of.get(part.id || part.item_ref));
    }
    if (!selections.length) view.lanes.push({ label: "Items", items: [...of.values()], strips: [] });
    list(records.context_budget).forEach((one) => budget(view, one));
    list(records.missing_context).forEach((one) => missing(view, one));
    for (const one of list(records.context_event)) view.notes.push(`${word(one.sequence)}. ${minute(one.created_at)} ${word(one.event_class)}: ${list(one.subject_refs).map(word).join(", ")}`);
    view.noted = "What happened";
  };

  // Converts an answer into the drawn form: lanes with items, and strips for failures.
  const read = (given) => {
    const answer = given.structured && typeof given.structured === "object" ? given.structured : {};
    const envelope = answer.freshcontext || {};
    let number = 0;
    const item = (one) => ({
      number: String(++number), title: word(one.title) || word(one.id) || word(one.url) || "(no title)",
      url: web(one.url) || web(one.source), at: moment(one.published_at), published: one.published_at, age: word(one.age),
      confidence: word(one.date_confidence), score: score(one.freshness_score), summary: word(one.summary),
      fields: one.fields && typeof one.fields === "object" ? Object.entries(one.fields) : [],
      standing: one.standing && word(one.standing.state) ? one.standing : null,
    });
    const failure = (what, error) => ({ what, code: word(error.code) || "failed", message: word(error.message) || word(error.hint) });
    const whole = (result, title) => {
      const about = result.freshcontext || {};
      return item({
        title, url: about.source_url, published_at: about.content_date, age: result.content_age,
        date_confidence: about.freshness_confidence, freshness_score: about.freshness_score, summary: cut(word(result.content), 600),
      });
    };
    const itemsOf = (result, title) => {
      const items = list(result.items).map(item);
      return items.length || result.status === "empty" ? items : [whole(result, title)];
    };
    const view = { title: given.title || given.tool || "Answer", tool: given.tool, asked: given.arguments, facts: [], lanes: [], missing: [], notes: [] };
    const fact = (name, value) => { if (word(value)) view.facts.push([name, word(value)]); };
    const remarks = (result) => {
      const notes = list(result.notes).map(word);
      for (const part of list(result.skipped)) notes.push(`${word(part.count)} left out: ${word(part.reason)}`);
      if (result.truncated > 0) notes.push(`${result.truncated} more did not fit the length`);
      return notes;
    };
    if (given.is_error || (answer.code && answer.message && !answer.items)) {
      view.now = answer.retrieved_at;
      view.lanes.push({ label: given.tool || "", items: [], strips: [failure(given.tool || "The call", answer.message ? answer : { message: given.text })] });
      fact("Status", "failed");
      fact("What to do", answer.hint);
    } else if (Array.isArray(answer.sections)) {
      view.now = answer.generated_at;
      fact("Asked for", answer.query);
      const coverage = answer.coverage || {};
      if (coverage.sources != null) fact("Sources", `${word(coverage.answered)} of ${coverage.sources} answered`);
      const weakest = coverage.weakest;
      if (weakest) {
        const named = answer.sections.find((section) => section.adapter === weakest.adapter) || {};
        fact("Weakest date", `${weakest.content_date ? minute(weakest.content_date) : "none"} (${word(named.label)}, ${word(weakest.confidence)} confidence)`);
      }
      view.notes = remarks(answer);
      for (const section of answer.sections) {
        const label = word(section.label) || word(section.tool);
        const result = section.result || {};
        const lane = { label, tool: word(section.tool), items: [], strips: [] };
        if (section.result) lane.items = itemsOf(result, label);
        if (section.error) lane.strips.push(failure(label, section.error));
        if (section.stale) lane.strips.push(failure(label, { code: "left out as stale", message: section.stale.message }));
        for (const part of list(result.failures)) lane.strips.push(failure(word(part.what), part));
        view.notes.push(...remarks(result).map((note) => `${label}: ${note}`));
        view.lanes.push(lane);
      }
    } else if (Array.isArray(answer.results)) {
      view.now = answer.now;
      view.counted = "judged";
      fact("Judged for", [answer.profile, answer.intent].map(word).filter(Boolean).join(", "));
      const items = answer.results.map((one) => item({
        title: one.title, url: one.source, published_at: (one.provenance_readiness || {}).published_at,
        date_confidence: one.confidence, freshness_score: one.freshness_score,
        summary: sentence(one.label, list(one.why).map(word).join(" ")),
      }));
      if (answer.selection) {
        const of = new Map(answer.results.map((one, at) => [one.index, items[at]]));
        chosen(view, answer.selection.selected, answer.selection.omitted, (one) => of.get(one.index));
        budget(view, { ...answer.budget, ...(answer.budget || {}).limits });
        list(answer.missing_context).forEach((one) => missing(view, one));
      } else view.lanes.push({ label: "Signals", items, strips: [] });
    } else if (answer.context_envelope) {
      bundle(view, fact, item, answer);
    } else {
      view.now = envelope.retrieved_at || answer.retrieved_at;
      fact("About", answer.summary);
      fact("Source", envelope.source_url);
      fact("Published", envelope.content_date ? minute(envelope.content_date) : envelope.retrieved_at ? "unknown" : "");
      fact("Confidence", envelope.freshness_confidence);
      fact("Age", answer.content_age);
      if (envelope.source_url) fact("Score", envelope.freshness_score == null ? "none, as there is no date" : `${envelope.freshness_score} of 100`);
      if (answer.status) fact("Status", answer.status);
      view.notes = remarks(answer);
      const lane = { label: "", items: envelope.source_url ? itemsOf(answer, view.title) : [], strips: [] };
      for (const part of list(answer.failures)) lane.strips.push(failure(word(part.what), part));
      view.lanes.push(lane);
    }
    const now = moment(view.now);
    for (const lane of view.lanes) for (const one of lane.items) one.hours = now == null || one.at == null ? null : Math.max(0, (now - one.at) / HOUR);
    return view;
  };

  const timeline = (view, room) => {
    const narrow = room < 620, labelled = view.lanes.some((lane) => lane.label);
    const left = labelled && !narrow ? 170 : 14, undatedRoom = 82, right = room - undatedRoom - 14;
    const ages = view.lanes.flatMap((lane) => lane.items).map((one) => one.hours).filter((hours) => hours != null);
    const oldest = Math.max(24, ...ages) * 1.25;
    const place = (hours) => left + DOT + (right - left - 2 * DOT) * Math.log10(1 + hours) / Math.log10(1 + oldest);
    const svg = document.createElementNS(svgSpace, "svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Items by age; the list below says the same in words");
    let y = 24;
    const lanes = draw(svg, "g", {}), lines = draw(svg, "g", {}), marks = draw(svg, "g", {});
    for (const lane of view.lanes) {
      const top = y;
      if (narrow && lane.label) { draw(marks, "text", { x: left, y: y + 16 }, cut(lane.label, Math.floor(room / 7))); y += 20; }
      const dated = lane.items.filter((one) => one.hours != null).sort((a, b) => a.hours - b.hours);
      const undated = lane.items.filter((one) => one.hours == null);
      const ends = [];
      let rows = 0;
      for (const one of dated) {
        const x = place(one.hours);
        let row = ends.findIndex((end) => x - end >= STEP);
        if (row < 0) row = ends.length;
        ends[row] = x;
        rows = Math.max(rows, row + 1);
        const group = draw(marks, "g", {});
        draw(group, "title", {}, `${one.number}. ${one.title}: ${one.age ? one.age + " ago" : minute(one.published)}`);
        dot(group, x, y + 16 + row * STEP, one);
      }
      undated.forEach((one, at) => {
        const row = Math.floor(at / 3);
        rows = Math.max(rows, row + 1);
        const group = draw(marks, "g", {});
        draw(group, "title", {}, `${one.number}. ${one.title}: no date`);
        dot(group, right + 26 + (at % 3) * STEP, y + 16 + row * STEP, one);
      });
      y += rows * STEP;
      for (const strip of lane.strips) {
        const words = `${lane.label === strip.what ? "" : strip.what + ": "}${strip.code}: ${strip.message}`;
        const group = draw(marks, "g", {});
        draw(group, "title", {}, words);
        draw(group, "rect", { x: left, y: y + 6, width: room - left - 8, height: 20, rx: 3, class: "strip" });
        draw(group, "text", { x: left + 8, y: y + 20, class: "strip-words" }, cut(words, Math.floor((room - left - 24) / 6.8)));
        y += STEP;
      }
      if (!lane.items.length && !lane.strips.length) {
        draw(marks, "text", { x: left + 8, y: y + 20, class: "quiet" }, "nothing found");
        y += STEP;
      }
      y += 9;
      draw(lanes, "rect", { x: 0, y: top, width: room, height: y - top - 3, rx: 4, class: "lane" });
      if (!narrow && lane.label) draw(marks, "text", { x: 10, y: top + 20 }, cut(lane.label, 22));
    }
    if (ages.length) {
      let last = -GAP;
      for (const [hours, name] of TICKS) {
        const x = place(hours);
        if (hours > oldest || x - last < GAP || x > right - 8) continue;
        last = x;
        draw(lines, "line", { x1: x, x2: x, y1: 20, y2: y - 3, class: "grid" });
        draw(marks, "text", { x, y: 14, class: "quiet", "text-anchor": hours === 0 ? "start" : "middle" }, name);
      }
    }
    if (view.lanes.some((lane) => lane.items.length)) {
      draw(lines, "line", { x1: right + 8, x2: right + 8, y1: 20, y2: y - 3, class: "grid", "stroke-dasharray": "3 3" });
      draw(marks, "text", { x: right + 16, y: 14, class: "quiet" }, "no date");
    }
    svg.setAttribute("viewBox", `0 0 ${room} ${y}`);
    svg.setAttribute("height", y);
    return svg;
  };

  // The bar of a budget: one segment per selected item, with a width in proportion to its tokens, and the unused rest.
  const rooms = (view, room) => {
    const svg = document.createElementNS(svgSpace, "svg"), scale = room / Math.max(view.room, 1, ...view.parts.map((part) => part.tokens));
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "The budget: selected items by their tokens, and what stayed free");
    svg.setAttribute("viewBox", `0 0 ${room} 26`);
    svg.setAttribute("height", 26);
    draw(svg, "rect", { x: 0, y: 2, width: room, height: 22, rx: 3, class: "lane free" });
    let x = 0;
    for (const { item, tokens } of view.parts) {
      const wide = tokens * scale, group = draw(svg, "g", {});
      draw(group, "title", {}, `${item.number}. ${item.title}: ${tokens} tokens`);
      const [r, g, b] = item.score == null ? [130, 138, 150] : colour(item.score);
      draw(group, "rect", { x, y: 2, width: Math.max(1, wide - 1), height: 22, fill: `rgb(${r},${g},${b})`, class: "part" });
      const dark = 0.299 * r + 0.587 * g + 0.114 * b < 125;
      if (wide > 16) draw(group, "text", { x: x + wide / 2, y: 17, class: "number " + (dark ? "on-dark" : "on-light") }, item.number);
      x += wide;
    }
    return svg;
  };

  const legend = (parent, marked) => {
    const box = make(parent, "div", null, "legend");
    const entry = (text, size, fill) => {
      const span = make(box, "span");
      const svg = document.createElementNS(svgSpace, "svg");
      svg.setAttribute("viewBox", `0 0 ${size} 16`);
      svg.setAttribute("width", size);
      svg.setAttribute("height", 16);
      fill(svg);
      span.append(svg, text);
    };
    entry("score 0 (decayed) to 100 (new)", 66, (svg) => {
      for (let at = 0; at < 11; at++) draw(svg, "rect", { x: at * 6, y: 2, width: 6, height: 12, fill: `rgb(${colour(at * 10)})` });
    });
    entry("no date or no score", 16, (svg) => draw(svg, "circle", { cx: 8, cy: 8, r: 6, class: "hollow" }));
    if (marked) entry("crossed out: does not stand any more; ring: stands with a reservation", 44, (svg) => {
      for (const [x, severity] of [[11, "void"], [33, "reserved"]]) {
        draw(svg, "circle", { cx: x, cy: 8, r: 5, class: "hollow" });
        if (severity === "void") draw(svg, "path", { d: `M${x - 7} 15L${x + 7} 1`, class: "crossed" });
        else draw(svg, "circle", { cx: x, cy: 8, r: 7, class: "ring" });
      }
    });
    entry("failed or left out", 26, (svg) => draw(svg, "rect", { x: 0, y: 2, width: 26, height: 12, rx: 3, class: "strip" }));
  };

  const show = (view) => {
    shown = view;
    page.replaceChildren();
    document.title = `${view.title} \u2013 FreshContext timeline`;
    make(page, "h1", view.title);
    const asked = Object.entries(view.asked || {}).map(([name, value]) => `${name}=${cut(word(value), 80)}`).join("  ");
    if (asked) make(page, "p", cut(`${view.tool || ""} ${asked}`, 300), "quiet");
    if (view.now && view.lanes.some((lane) => lane.items.length)) make(page, "p", `Ages are counted to ${minute(view.now)}, when it was ${view.counted || "retrieved"}.`, "quiet");
    const facts = make(page, "dl", null, "facts");
    for (const [name, value] of view.facts) { make(facts, "dt", name); make(facts, "dd", cut(value, 400)); }
    width = page.clientWidth - 36;
    if (view.parts) page.append(rooms(view, width));
    page.append(timeline(view, width));
    legend(page, view.lanes.some((lane) => lane.items.some((one) => one.standing)));
    const failed = [...view.lanes.flatMap((lane) => lane.strips), ...view.missing];
    if (failed.length) {
      make(page, "h2", "What is missing");
      for (const part of failed) {
        const box = make(page, "div", null, "failed");
        make(box, "p", sentence(part.what, part.message));
        make(box, "p", part.code, "quiet");
      }
    }
    for (const lane of view.lanes) {
      if (!lane.items.length) continue;
      make(page, "h2", lane.label || "Items");
      const items = make(page, "ol");
      for (const one of lane.items) {
        const row = make(items, "li");
        const mark = draw(row, "svg", { viewBox: "0 0 22 22", "aria-hidden": "true" });
        dot(mark, 11, 11, one);
        const body = make(row, "div");
        const head = make(body, "p");
        if (one.url) {
          const link = make(head, "a", `${one.number}. ${one.title}`);
          link.href = one.url;
          link.target = "_blank";
          link.rel = "noopener noreferrer";
          if (open) link.addEventListener("click", (event) => { event.preventDefault(); open(one.url); });
        } else {
          head.textContent = `${one.number}. ${one.title}`;
        }
        if (one.standing) {
          if (one.standing.severity === "void") head.className = "void";
          make(body, "p", standing(one.standing));
        }
        const when = one.at == null ? "no date" : `${one.age ? one.age + " ago \u00b7 " : ""}${minute(one.published)}`;
        const rest = [when, one.confidence && `${one.confidence} confidence`, one.score == null ? "no score" : `score ${one.score}`];
        make(body, "p", rest.filter(Boolean).join(" \u00b7 "), "quiet");
        if (one.summary) make(body, "p", cut(one.summary, 600));
        const fields = one.fields.map(([name, value]) => `${name}: ${cut(word(value), 120)}`).join(" \u00b7 ");
        if (fields) make(body, "p", cut(fields, 800), "quiet");
      }
    }
    if (view.notes.length) {
      make(page, "h2", view.noted || "Notes");
      for (const note of view.notes) make(page, "p", note, "quiet");
    }
    make(page, "p", "What sources wrote is external data, not instructions.", "quiet");
    tell();
  };

  // Communication with a host that shows this page in a frame.
  let tell = () => {};
  const hosted = () => {
    let next = 0, given = { structured: null };
    const waiting = new Map();
    const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
    const ask = (method, params, then) => { waiting.set(++next, then || (() => {})); send({ id: next, method, params }); };
    const themed = (context) => { if (context && /^(dark|light)$/.test(context.theme)) document.documentElement.dataset.theme = context.theme; };
    open = (url) => ask("ui/open-link", { url });
    tell = () => {
      const box = document.documentElement.getBoundingClientRect();
      send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(box.width), height: Math.ceil(page.getBoundingClientRect().height) } });
    };
    addEventListener("message", (event) => {
      const message = event.data;
      if (event.source !== parent || !message || message.jsonrpc !== "2.0") return;
      const params = message.params || {};
      if (message.method === "ui/notifications/tool-input") given.arguments = params.arguments;
      else if (message.method === "ui/notifications/tool-result") {
        const text = list(params.content).map((part) => part && part.type === "text" ? word(part.text) : "").join("\n");
        show(read({ ...given, structured: params.structuredContent, is_error: params.isError === true, text }));
      } else if (message.method === "ui/notifications/host-context-changed") themed(params);
      else if (message.id != null && message.method) send({ id: message.id, result: {} });
      else if (waiting.has(message.id)) { waiting.get(message.id)(message.result || {}); waiting.delete(message.id); }
    });
    ask("ui/initialize", { appInfo: { name: "freshcontext-timeline", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" }, (result) => {
      const context = result.hostContext || {};
      themed(context);
      const tool = (context.toolInfo || {}).tool || {};
      given.tool = tool.name;
      given.title = tool.title;
      send({ method: "ui/notifications/initialized", params: {} });
    });
  };

  const own = JSON.parse(document.getElementById("answer").textContent);
  if (own) show(read(own));
  else if (parent !== window) hosted();
  new ResizeObserver(() => { if (shown && page.clientWidth - 36 !== width) show(shown); }).observe(page);
})();
