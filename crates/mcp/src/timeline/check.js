// What became of an answer (`recheck`), and of references (`check_references`): one lane for each verdict, the gravest first.
const VERDICTS = ["withdrawn", "gone", "superseded", "moved", "changed", "could_not_check", "not_recognised", "outside_window", "stands", "current"];
const NAMES = {
  could_not_check: "could not be checked", not_recognised: "not recognised", stands: "stands", current: "as it was",
  outside_window: "no longer listed, which shows no removal",
};
const verdictName = (name) => NAMES[name] || word(name).replaceAll("_", " ");
const byVerdict = (view, all) => {
  const rank = (name) => (VERDICTS.indexOf(name) + VERDICTS.length + 1) % (VERDICTS.length + 1);
  const names = [...new Set(all.map(([name]) => name))].sort((a, b) => rank(a) - rank(b));
  const groups = names.map((name) => [verdictName(name), all.filter(([of]) => of === name).map(([, item]) => item)]);
  view.lanes = groups.map(([label, items]) => part(label, items));
  return groups.map(([label, items]) => `${items.length} ${label}`).join(", ");
};

const references = (view, answer) => {
  const item = drawn();
  view.now = list(answer.results).map((one) => word(one.checked_at)).sort().pop();
  view.counted = "checked";
  const all = list(answer.results).map((one) => [word(one.verdict), item({
    title: word(one.title) || word(one.ref), url: web(one.url) || web(one.ref) || web((one.archived_copy || {}).url), published_at: one.date,
    retrieved_at: one.checked_at, standing: one.standing, summary: word(one.detail).replaceAll("_", " "),
    fields: { reference: word(one.title) ? one.ref : "", kind: one.kind, id: one.id, confidence: one.confidence, replaced_by: (one.replaced_by || {}).id || (one.replaced_by || {}).url, archived_copy: (one.archived_copy || {}).url },
  }, word(one.kind) || "reference")]);
  for (const [, one] of all) one.fields = one.fields.filter(([, value]) => word(value));
  view.question = counted(answer.total == null ? all.length : answer.total, "reference");
  view.verdict = byVerdict(view, all) || "nothing was checked";
  view.notes = list(answer.notes).map(word);
  if (answer.cursor) view.notes.push("More references were not asked for yet: pass the cursor of the answer.");
};

const rechecked = (view, answer) => {
  const item = drawn();
  view.now = answer.checked_at;
  view.counted = "checked";
  const parts = Array.isArray(answer.sections) ? answer.sections : [answer], all = [], missing = [];
  for (const one of parts) {
    const from = word(one.label) || word((TOOLS[one.tool] || {}).title) || word(one.tool) || "answer";
    for (const entry of [...list(one.items), ...list(one.added).map((added) => ({ verdict: "new", ...added }))]) all.push([word(entry.verdict), item({
      title: word(entry.title) || word(entry.id), url: entry.url, published_at: entry.published_now || entry.published_at || entry.published, retrieved_at: answer.checked_at,
      standing: entry.standing_now, summary: [list(entry.changed).length ? `different: ${list(entry.changed).map(word).join(", ")}` : "", word(entry.detail).replaceAll("_", " ")].filter(Boolean).join("; "),
    }, from)]);
    if (one.code) missing.push(failure(from, one));
  }
  view.question = word(answer.answer_id) ? `The answer ${word(answer.answer_id)}` : "The answer";
  const groups = byVerdict(view, all);
  view.lanes.push(...(missing.length ? [part("", [], missing)] : []));
  view.verdict = [`${verdictName(word(answer.verdict))}`, groups].filter(Boolean).join(": ");
  const added = parts.reduce((sum, one) => sum + (one.added_count || 0), 0);
  if (added > all.filter(([name]) => name === "new").length) view.notes.push(`${counted(added, "new item")} in all`);
};
