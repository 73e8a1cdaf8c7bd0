// From an answer to what the page draws: a heading, lanes with items, what is missing, and the rest.
const score = (value) => typeof value === "number" && value >= 0 && value <= 100 ? value : null;
const standing = ({ state, since, by, reason, replaced_by }) => [
  `Standing: ${word(state)}`, since && `since ${word(since).slice(0, 10)}`, by && by.who && `says ${word(by.who)}`,
  reason && `\u201c${cut(word(reason), 200)}\u201d`,
  replaced_by && `replaced by ${word(replaced_by.id) || word(replaced_by.url) || word(replaced_by.title)}`,
].filter(Boolean).join(" \u00b7 ");

// Reasons of omission in words; the specification's name stands beside them.
const REASONS = {
  budget: "did not fit the budget", low_relevance: "not relevant enough", stale_source: "too old", policy_block: "kept out by policy",
  duplicate_coverage: "duplicate", unsupported_media: "not text", privacy_risk: "privacy risk", missing_permission: "without permission",
  failed_retrieval: "failed retrieval", unverified_date: "without a usable date",
};
const reason = (name) => REASONS[name] || word(name).replaceAll("_", " ");
const DETAILS = {
  gone: "its source reports that it is gone", outside_window: "its source did not report a removal",
  not_followed: "its source was taken out of the deliverable",
};

const drawn = () => {
  let number = 0;
  return (one, from) => {
    const published = word(one.published_at);
    return {
      number: String(++number), title: word(one.title) || word(one.id) || word(one.url) || "(no title)", from,
      url: web(one.url) || web(one.source), at: moment(published), published, age: word(one.age),
      confidence: word(one.date_confidence), score: score(one.freshness_score), summary: word(one.summary),
      retrieved: word(one.retrieved_at), fields: one.fields && typeof one.fields === "object" ? Object.entries(one.fields) : [],
      standing: one.standing && word(one.standing.state) ? one.standing : null,
    };
  };
};
const failure = (what, error) => ({
  what, code: word(error.code) || "failed", message: word(error.message) || word(error.hint), hint: error.message ? word(error.hint) : "",
  wait: error.retry_after_s > 0 ? `try again in ${duration(error.retry_after_s * 1000)}` : "",
});
const remarks = (result) => {
  const notes = list(result.notes).map(word);
  for (const part of list(result.skipped)) notes.push(`${word(part.count)} left out: ${word(part.reason)}`);
  if (result.truncated > 0) notes.push(`${result.truncated} more did not fit the length`);
  return notes;
};
const halfLife = (about) => about && about.decay_rate > 0 ? Math.LN2 / about.decay_rate : null;
// To the nearest hour or day, as the text has it.
const half = (hours) => hours < 48 ? counted(Math.max(1, Math.round(hours)), "hour") : hours < 60 * 24 ? counted(Math.round(hours / 24), "day") : duration(hours * HOUR);
const part = (label, items, strips, hours) => ({ label, items, strips: strips || [], half: hours || null });

// The question, as a person would put it into a heading.
const question = (asked) => {
  const values = Object.entries(asked || {}).filter(([, value]) => typeof value === "string" || Array.isArray(value));
  const main = /^(url|query|topic|idea|company|tickers|packages|q)$/;
  const [, value] = values.find(([name]) => main.test(name)) || values[0] || [];
  const text = Array.isArray(value) ? value.map(word).join(", ") : word(value);
  return cut(text.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "").replace(/,(?=\S)/g, ", "), 120);
};
// An address may lead to a thread with comments or to a page: its items are not called stories or posts.
const isAddress = (asked) => Object.values(asked || {}).some((value) => /^[a-z]+:\/\/|\/comments\/|^\d+$/i.test(word(value)));
const dates = (items, now) => {
  const dated = items.filter((one) => one.at != null), undated = items.length - dated.length, out = [];
  if (dated.length) {
    const newest = dated.reduce((a, b) => b.at > a.at ? b : a);
    const old = newest.age || (now == null ? "" : age(newest.published, now));
    if (old) out.push(`${items.length === 1 ? "" : "newest "}${old} old`);
  }
  if (undated) out.push(dated.length ? `${undated} without a date` : items.length === 1 ? "no date" : "none with a date");
  return out.join("; ");
};

// One lane for what went in, one for what did not, each omission with its reason.
const chosen = (view, selected, omitted, find) => {
  view.went = list(selected).map((one) => ({ item: find(one), tokens: one.tokens, text: word(one.text) })).filter((one) => one.item);
  view.left = new Map();
  for (const one of list(omitted)) {
    const item = find(one), name = word(one.reason);
    if (!item) continue;
    item.why = word(one.detail);
    item.out = reason(name);
    view.left.set(name, [...view.left.get(name) || [], item]);
  }
};
const leftWords = (view) => {
  const groups = [...view.left].map(([name, items]) => `${items.length} ${reason(name)}`);
  return groups.length ? `left out: ${groups.join(", ")}` : "nothing left out";
};
const budget = (view, given) => {
  if (given.actual_tokens == null) return;
  const most = given.max_tokens == null ? given.actual_tokens : given.max_tokens - (given.reserved_tokens || 0);
  const of = given.max_tokens == null ? "" : ` of ${most}`;
  view.room = { most, used: given.actual_tokens, words: `${given.actual_tokens}${of} tokens` };
  view.facts.push(["Budget", `${view.room.words} (${word(given.tokenizer)}, ${word(given.token_counts)})`]);
  for (const one of list(given.truncation_records)) view.notes.push(`Cut: ${word(one.loss_notes)}`);
};
const gap = (one) => ({ what: word(one.question), code: `missing, severity ${word(one.severity)}`, message: "", hint: list(one.candidate_sources).map((source) => word(source.how)).filter(Boolean).join(" "), wait: "" });

// Context records: what was shown to the model, what was left out, and the events.
const bundle = (view, records) => {
  const item = drawn(), envelope = records.context_envelope, sources = new Map(list(records.context_source_ref).map((one) => [one.source_id, one]));
  const tool = word((envelope.metadata || {}).tool), judged = tool === "evaluate_context";
  view.kind = "records";
  view.now = envelope.created_at;
  view.counted = "recorded";
  const of = new Map();
  for (const one of list(records.context_item)) {
    const fresh = one.freshness || {}, source = sources.get(list(one.source_refs)[0]) || {};
    const from = judged ? word(source.authority) || host(word(source.uri)) : word((TOOLS[word(source.source_kind)] || {}).title) || word(source.source_kind) || word(source.authority);
    const drawn = item({
      title: one.title || one.item_id, url: source.uri, published_at: fresh.published_at, date_confidence: fresh.date_confidence,
      freshness_score: fresh.freshness_score, retrieved_at: fresh.retrieved_at, summary: word(one.content) || list((one.metadata || {}).why).map(word).join(" "),
      fields: { decision: word(fresh.decision).replaceAll("_", " "), state: one.lifecycle, trust: one.trust_level, redaction: one.redaction_state === "none" ? "" : one.redaction_state, id: one.item_id },
    }, from || "unknown source");
    drawn.fields = drawn.fields.filter(([, value]) => word(value));
    drawn.digest = word(source.digest);
    of.set(one.item_id, drawn);
  }
  const blocks = new Map(list(records.context_assembly).flatMap((one) => list(one.ordered_blocks)).flatMap((block) => list(block.item_refs).map((id) => [id, block])));
  const selection = list(records.context_selection)[0];
  const shown = selection ? list(selection.selected_item_refs) : list(envelope.item_refs).length ? envelope.item_refs : [...of.keys()];
  const rest = selection ? list(selection.omitted_item_refs) : [];
  chosen(view, shown.map((id) => ({ id, tokens: (blocks.get(id) || {}).tokens })), rest, (one) => of.get(one.id || one.item_ref));
  list(records.context_budget).forEach((one) => budget(view, one));
  view.missing = list(records.missing_context).map(gap);
  const items = view.went.map((one) => one.item), from = new Set(items.map((one) => one.from)), undated = items.filter((one) => one.at == null).length;
  view.question = items.length
    ? `${counted(items.length, "item")} of ${counted(from.size, "source")} ${items.length === 1 ? "was" : "were"} shown to the model`
    : "Nothing was shown to the model";
  if (items.length) view.question += undated ? `; ${undated} ${undated === 1 ? "has" : "have"} no date` : "; each has a date";
  const omitted = [...view.left.values()].flat().length;
  view.verdict = omitted ? `${omitted} ${omitted === 1 ? "was" : "were"} left out: ${[...view.left].map(([name, all]) => `${all.length} ${reason(name)}`).join(", ")}` : "Nothing was left out";
  view.verdict += view.missing.length ? `; ${counted(view.missing.length, "gap")} recorded.` : ".";
  view.joined = ". ";
  view.lede = "Shown means delivered to the client of the model. Whether the model used it is not known.";
  const all = [...of.values()];
  view.lanes = [...new Set(all.map((one) => one.from))].map((label) => part(label, all.filter((one) => one.from === label)));
  view.events = list(records.context_event).map((one) => ({ at: when(one.created_at), name: word(one.event_class), about: list(one.subject_refs).map(word).join(", ") }));
  view.facts.unshift(["Tool", tool], ["Recorded", when(envelope.created_at)], ["Context", word(envelope.context_id)], ["Producer", envelope.producer ? `${word(envelope.producer.id)} ${word(envelope.producer.version)}` : ""]);
  const injected = list(records.context_injection)[0];
  view.proofs = [];
  if (injected && injected.hash) view.proofs.push(["Text delivered", `${word((injected.metadata || {}).bytes)} bytes, ${word(injected.hash)}`]);
  for (const [id, block] of blocks) if (block.sha256 && of.has(id)) view.proofs.push([`Block of item ${of.get(id).number}`, `sha256:${word(block.sha256)}`]);
  for (const one of all) if (one.digest) view.proofs.push([`Content of item ${one.number}`, one.digest]);
  const checked = records.checked;
  view.delivered = word(records.delivered);
  if (checked) view.checked = `${view.delivered ? "The delivered text, and each of its blocks, has its recorded hash. " : ""}${counted(checked.records, "record")} were checked against their rules when this page was made: every rule holds. To check again: freshcontext records check FILE${view.delivered ? " --text TEXT" : ""}.`;
};

// `extract_hackernews url=rust` as a person would name it.
const sourceName = (one) => {
  const name = word(one.resource_name), tool = word(one.platform), title = (TOOLS[tool] || {}).title;
  if (!title || !name.startsWith(tool)) return name;
  const rest = name.slice(tool.length).trim().replace(/^(url|query|packages)=/, "").replace(/^"(.*)"$/, "$1");
  return rest ? `${title}: ${rest}` : title;
};
const removed = (one) => ({ title: word(one.title), url: web(one.url), note: DETAILS[one.detail] || word(one.detail) });

// A version of a deliverable: what changed since the one before, then what it holds.
const deliverable = (view, given) => {
  const item = drawn(), version = given.version || {}, changes = given.changes || {};
  view.kind = "deliverable";
  view.now = given.at;
  view.counted = given.to === "now" ? "compared" : "generated";
  view.name = word(given.name);
  const snapshots = list(given.sources), names = new Map(snapshots.map((one) => [one.resource_id, sourceName(one)]));
  const from = (resource) => names.get(resource) || word(resource);
  // The stored age is of the moment of retrieval; here ages count to the version.
  const all = list(version.items).map((entry) => [entry, item({ ...entry.item, age: null, freshness_score: (entry.judged || {}).freshness_score }, from(entry.resource))]);
  const find = (one) => (all.find(([entry]) => entry.resource === one.resource && entry.id === one.id) || [])[1];
  const selection = version.selection || {}, texts = new Map(list(version.blocks).map((block) => [block.index, block]));
  chosen(view, list(selection.selected).map((one) => ({ ...one, ...texts.get(one.index) })), selection.omitted, find);
  view.change = {
    compared: given.from != null, from: given.from, to: given.to,
    added: list(changes.added).map((one) => ({ title: word((one.item || {}).title) || word(one.id), url: web((one.item || {}).url), note: one.detail ? "its source could not be read before, so it may not be new" : "", item: find(one), published: word((one.item || {}).published_at) })),
    changed: list(changes.changed).map((one) => ({ title: word(one.title), url: web(one.url), fields: list(one.fields), item: find(one) })),
    gone: list(changes.removed).filter((one) => one.detail !== "outside_window").map(removed),
    unlisted: list(changes.removed).filter((one) => one.detail === "outside_window").map(removed),
    unknown: list(changes.could_not_check).map((one) => ({ title: word(one.title), note: `${from(one.resource)} could not be read` })),
    same: list(changes.aged).length,
  };
  const { added, changed, gone, unlisted, unknown } = view.change;
  view.troubles = snapshots.filter((one) => one.state !== "current").map((one) => ({
    title: sourceName(one),
    note: [{ partial: "some of it could not be read", last_used: `could not be checked; the items of ${when(one.synced_at)} are used`, left_out: "could not be checked, and is left out" }[one.state] || word(one.state), ...list(one.troubles).map((two) => word(two.message))].join("; "),
  }));
  const unsure = unknown.length || view.troubles.length;
  const parts = [added.length && `${added.length} added`, changed.length && `${changed.length} changed`, gone.length && `${gone.length} gone`, unlisted.length && `${unlisted.length} no longer listed`, unknown.length ? `${unknown.length} could not be checked` : view.troubles.length && `${counted(view.troubles.length, "source")} could not be checked`].filter(Boolean);
  view.question = given.to === "now" ? `${view.name}, now` : `${view.name}, version ${word(given.to)}`;
  view.verdict = view.change.compared ? parts.length ? parts.join(", ") : "no change" : `the first version, ${counted(all.length, "item")}`;
  view.lede = view.change.compared ? `Compared with version ${word(given.from)} of ${when(given.from_at)}. ${unsure ? "" : "Every source could be checked."}`.trim() : "There is no earlier version to compare with.";
  view.versions = list(given.versions).map((one) => ({ number: one.version, at: moment(one.generated_at), day: when(one.generated_at).slice(0, 10), items: one.items, from: one.version === given.from, to: one.version === given.to }));
  view.lanes = [...new Set(all.map(([, one]) => one.from))].map((label) => part(label, all.map(([, one]) => one).filter((one) => one.from === label)));
  budget(view, { ...version.budget, ...(version.budget || {}).limits });
  view.missing = list(version.missing_context).map(gap);
  view.facts.unshift([given.to === "now" ? "Compared" : "Generated", when(given.at)], ...(version.definition && version.definition.query ? [["Query", word(version.definition.query)]] : []));
  view.sources = snapshots.map((one) => [sourceName(one), counted(one.item_count, "item"), one.synced_at ? `synced ${when(one.synced_at)}` : "never synced", word(one.state).replaceAll("_", " ")]);
  view.proofs = [["This version", given.hash && `sha256:${word(given.hash)}`], ["The version before", given.predecessor_hash && `sha256:${word(given.predecessor_hash)}`]].filter(([, value]) => value);
  if (view.proofs.length) view.checked = "The hash of this version was checked when this page was made. To check all versions: freshcontext store check.";
};

const evaluation = (view, answer) => {
  const item = drawn();
  view.now = answer.now;
  view.counted = "evaluated";
  const kinds = [answer.profile, answer.intent].map((kind) => word(kind).replaceAll("_", " ")).filter(Boolean);
  view.facts.push(["Evaluated for", kinds.join(", ")]);
  const items = answer.results.map((one) => {
    const ready = one.provenance_readiness || {};
    return item({
      title: one.title, url: one.source, published_at: ready.published_at, date_confidence: ready.timing_confidence, freshness_score: one.freshness_score,
      retrieved_at: ready.retrieved_at, summary: [word(one.label), list(one.why).map(word).join(" ")].filter(Boolean).join(": "),
    }, host(word(one.source)) || word(one.source_type) || "unknown source");
  });
  const query = word((view.asked || {}).query), count = counted(items.length, "document");
  view.question = query || `${count} for ${kinds.join(", ") || "a model"}`;
  view.lanes = [...new Set(items.map((one) => one.from))].map((label) => part(label, items.filter((one) => one.from === label)));
  if (!answer.selection) {
    const labels = new Map();
    for (const one of answer.results) labels.set(word(one.label), (labels.get(word(one.label)) || 0) + 1);
    view.verdict = `${query ? count + ", " : ""}${[...labels].map(([label, of]) => `${of} ${label.toLowerCase()}`).join(", ")}`;
    return;
  }
  view.kind = "budget";
  const of = new Map(answer.results.map((one, at) => [one.index, items[at]])), texts = new Map(list((answer.assembly || {}).blocks).map((block) => [block.index, block]));
  chosen(view, list(answer.selection.selected).map((one) => ({ ...one, ...texts.get(one.index) })), answer.selection.omitted, (one) => of.get(one.index));
  budget(view, { ...answer.budget, ...(answer.budget || {}).limits });
  view.verdict = `${view.went.length} of ${items.length} went in${view.room ? `, ${view.room.words}` : ""}; ${leftWords(view)}`;
  view.assembly = word((answer.assembly || {}).text);
  view.missing = list(answer.missing_context).map(gap);
};

const composite = (view, answer) => {
  const item = drawn();
  view.now = answer.generated_at;
  view.question = word(answer.query) || view.question;
  const coverage = answer.coverage || {}, failed = [];
  view.notes = remarks(answer);
  for (const section of answer.sections) {
    const label = word(section.label) || word(section.tool), result = section.result || {}, strips = [];
    const items = section.result ? itemsOf(item, result, label, label) : [];
    if (section.error) { strips.push(failure(label, section.error)); failed.push(label); }
    if (section.stale) strips.push(failure(label, { code: "left out as stale", message: section.stale.message }));
    for (const one of list(result.failures)) strips.push(failure(word(one.what), one));
    view.notes.push(...remarks(result).map((note) => `${label}: ${note}`));
    view.lanes.push(part(label, items, strips, halfLife(result.freshcontext)));
  }
  const items = view.lanes.flatMap((lane) => lane.items);
  const asked = coverage.sources == null ? answer.sections.length : coverage.sources, answered = coverage.answered == null ? asked - failed.length : coverage.answered;
  view.verdict = [`${answered} of ${counted(asked, "source")} answered with ${counted(items.length, "item")}`, dates(items, moment(view.now))].filter(Boolean).join(", ");
  if (failed.length) view.verdict += `; ${and(failed)} failed`;
  const weakest = coverage.weakest;
  if (weakest) {
    const named = answer.sections.find((section) => section.adapter === weakest.adapter) || {};
    view.facts.push(["Weakest date", `${weakest.content_date ? when(weakest.content_date) : "none"} (${word(named.label)}, ${word(weakest.confidence)} confidence)`]);
  }
};

const itemsOf = (item, result, title, from) => {
  const items = list(result.items).map((one) => item(one, from));
  if (items.length || result.status === "empty") return items;
  const about = result.freshcontext || {};
  return [item({
    title, url: about.source_url, published_at: about.content_date, age: result.content_age, date_confidence: about.freshness_confidence,
    freshness_score: about.freshness_score, retrieved_at: about.retrieved_at, summary: cut(word(result.content), 600), fields: result.fields,
  }, from)];
};

const single = (view, answer, tool) => {
  const item = drawn(), envelope = answer.freshcontext || {};
  view.now = envelope.retrieved_at || answer.retrieved_at;
  const items = envelope.source_url ? itemsOf(item, answer, view.title, view.title) : [];
  const named = tool.many && !isAddress(view.asked) ? [tool.one, tool.many] : ["item", "items"];
  const missing = list(answer.failures).map((one) => failure(word(one.what), one));
  view.lanes.push(part("", items, missing, halfLife(envelope)));
  view.verdict = items.length ? [counted(items.length, ...named), dates(items, moment(view.now))].filter(Boolean).join(", ") : "nothing found";
  if (missing.length) view.verdict += `; ${counted(missing.length, "part")} failed`;
  const facts = [["About", word(answer.summary)], ["Source", word(envelope.source_url)], ["Newest", envelope.content_date ? `${when(envelope.content_date)}, ${word(envelope.freshness_confidence)} confidence` : envelope.retrieved_at ? "no date" : ""], ["Age", word(answer.content_age)],
    ["Score", envelope.source_url ? envelope.freshness_score == null ? "none, as there is no date" : `${envelope.freshness_score} of 100` : ""], ["Status", word(answer.status)]];
  view.facts.push(...facts, ...Object.entries(answer.fields || {}).map(([name, value]) => [name.replaceAll("_", " ").replace(/^./, (c) => c.toUpperCase()), values(value, moment(view.now))]));
  view.notes = remarks(answer);
};

const read = (given) => {
  const answer = given.structured && typeof given.structured === "object" ? given.structured : {}, tool = TOOLS[given.tool] || {};
  const view = { kind: "answer", title: given.title || tool.title || given.tool || "Answer", tool: given.tool, asked: given.arguments, question: question(given.arguments), place: "", joined: ": ", verdict: "", lede: "", counted: "retrieved",
    facts: [], lanes: [], missing: [], notes: [], went: [], left: new Map(), events: [], proofs: [] };
  const isSource = given.is_error || given.tool !== "recheck" && Array.isArray(answer.sections) || answer.freshcontext || answer.message;
  if (isSource) view.place = view.question ? tool.place ? ` ${tool.place}` : `, ${view.title.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())}` : view.title;
  if (given.is_error || (answer.code && answer.message && !answer.items)) {
    const failed = failure(view.title, answer.message ? answer : { message: given.text });
    view.now = answer.retrieved_at;
    view.lanes.push(part(view.title, [], [failed]));
    view.verdict = `no answer, ${failed.code.replaceAll("_", " ")}`;
  } else if (given.tool === "recheck" && answer.checked_at) rechecked(view, answer);
  else if (given.tool === "check_references" && Array.isArray(answer.results)) references(view, answer);
  else if (Array.isArray(answer.sections)) composite(view, answer);
  else if (Array.isArray(answer.results)) evaluation(view, answer);
  else if (answer.context_envelope) bundle(view, answer);
  else if (answer.page === "deliverable") deliverable(view, answer);
  else single(view, answer, tool);
  view.missing = [...view.lanes.flatMap((lane) => lane.strips), ...view.missing];
  view.facts = view.facts.filter(([, value]) => value);
  const now = moment(view.now);
  view.items = view.lanes.flatMap((lane) => lane.items);
  for (const one of view.items) {
    one.retrieved ||= word(view.now);
    const isDated = now != null && one.at != null, past = (at) => Math.max(0, now - at) / HOUR;
    if (!one.age && isDated) one.age = age(one.published, now);
    // A day is drawn at its middle, over the hours in which it may have been.
    one.from_hours = isDated ? past(one.at) : null;
    one.to_hours = isDated && isDay(one.published) ? past(one.at + span(one.published)) : one.from_hours;
    one.hours = isDated ? (one.from_hours + one.to_hours) / 2 : null;
  }
  return view;
};
