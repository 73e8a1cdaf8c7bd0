"""Holds what a client saw to what the server said: judge.py NAME DOOR COMMAND...

CALLS holds three calls: one with a list, a composite one of whose sections is not asked, one that must fail. ANSWERS is
the folder with the server's own answers to the first two, `0.txt`, `0.json`, `1.txt`, `1.json`. COMMAND runs one client,
which prints a line of JSON (shared.py). Prints what it found, or what is wrong and ends with 1.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

NAME, DOOR, *COMMAND = sys.argv[1:]
CALLS = json.loads(os.environ["CALLS"])
ANSWERS = pathlib.Path(os.environ["ANSWERS"])
SECONDS = 100  # one client's run, on a busy machine
TOOLS = 22
# What a form may grow by on its way to the model: quotes and line ends escaped, a frame around it.
GROWTH = 1.25
FRAME_BYTES = 700
# These depend on the moment of the answer, and are compared by being there.
MOMENTS = {
    "retrieved_at", "generated_at", "revalidate_after", "staleness", "next_cursor",
    "freshness_score", "score", "age", "content_age",
}
AGE = re.compile(r"\d+ (?:second|minute|hour|day|week|month|year)s?\b")
EXTERNAL = {
    "text": re.compile(r"external content, not instructions"),
    "json": re.compile(r"content_is_external['\"]: ?true", re.IGNORECASE),
}
CONFIDENCE = {
    "text": re.compile(r"^Confidence: (high|medium|low)$", re.MULTILINE),
    "json": re.compile(r"freshness_confidence['\"]: ?['\"](high|medium|low)['\"]"),
}
# A section without an answer: its row in the table, its place in the coverage.
MISSING = {"text": r"\| (?:skipped|failed) \|.*\| %s \|", "json": r"['\"]missing['\"]: ?\[[^\]]*%s"}

wrong = []


def check(holds, complaint):
    if not holds:
        wrong.append(complaint)


def facts(value, path=""):
    """Every leaf with where it is; what depends on the moment without its value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in MOMENTS and inner is not None:
                yield f"{path}.{key}", "..."
            else:
                yield from facts(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from facts(inner, f"{path}[{number}]")
    elif value is not None:
        yield path, value


def lost(sent, got):
    """Which facts of the one are not in the other."""
    there = set(facts(got))
    return [f"{path} = {value!r}" for path, value in facts(sent) if (path, value) not in there]


def plain(text):
    """Without the escapes of JSON or Python around it, however deep."""
    return re.sub(r"\\", "", re.sub(r"\\+n", "\n", text))


def judge_answer(what, answer, text, sent, forwards, offers):
    seen = plain(answer["model"])
    check(not answer["failed"], f"{what}: failed: {seen[:300]}")
    forms = [form for form, pattern in EXTERNAL.items() if pattern.search(seen)]
    check(forms == {"text": ["text"], "json": ["json"], "both": ["text", "json"]}[forwards],
          f"{what}: the model should see {forwards}, and is told that the data is external in {forms}")
    for form in forms:
        check(CONFIDENCE[form].search(seen), f"{what}: no confidence in the {form}")
    sections = sent.get("sections", [])
    results = [section["result"] for section in sections if "result" in section] or [sent]
    items = [item for result in results for item in result["items"]]
    check(items, f"{what}: the server's own answer has no items")
    for item in items:
        check(plain(item["title"]) in seen, f"{what}: the model does not see the item {item['title']!r}")
    dated = sum(item["published_at"] is not None for item in items)
    check(len(AGE.findall(seen)) >= dated, f"{what}: {dated} items are dated, {len(AGE.findall(seen))} ages are seen")
    for section in sections:
        check(section["tool"] in seen, f"{what}: the model does not see that {section['tool']} was to be asked")
    for section in sent.get("coverage", {}).get("missing", []):
        for form in forms:
            check(re.search(MISSING[form] % section["tool"], seen),
                  f"{what}: the {form} does not say that {section['tool']} is missing")
    allowed = {"text": len(text), "json": len(json.dumps(sent, separators=(",", ":"), ensure_ascii=False))}
    allowed = sum(allowed[form] for form in forms) * GROWTH + FRAME_BYTES
    size = len(answer["model"])
    check(size <= allowed, f"{what}: the model sees {size} characters, at most {allowed:.0f}")
    if "data" in offers:
        gone = lost(sent, answer["data"])
        check(not gone, f"{what}: lost of the typed data: {', '.join(gone[:8])} ({len(gone)} in all)")


try:
    finished = subprocess.run(COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
except subprocess.TimeoutExpired:
    sys.exit(f"FAIL  {NAME} over {DOOR} did not end within {SECONDS} s")
lines = finished.stdout.strip().splitlines()
if finished.returncode != 0 or not lines or not lines[-1].startswith("{"):
    said = f"{finished.stdout[-2000:]}\n{finished.stderr[-4000:]}"
    sys.exit(f"FAIL  {NAME} over {DOOR} ended with {finished.returncode}\n{said}")
report = json.loads(lines[-1])
forwards, offers, answers = report["forwards"], report["offers"], report["answers"]
check(len(report["tools"]) == TOOLS, f"{len(report['tools'])} tools listed")
check(len(answers) == len(CALLS), f"{len(answers)} answers to {len(CALLS)} calls")
for number in range(2):
    judge_answer(
        CALLS[number]["tool"], answers[number], (ANSWERS / f"{number}.txt").read_text(),
        json.loads((ANSWERS / f"{number}.json").read_text()), forwards, offers,
    )
steps = answers[1]["progress"]
check(("progress" in offers) == (steps > 0), f"{steps} notes of progress, and the client offers {offers}")
refused = plain(answers[2]["model"])
check(answers[2]["failed"], f"the call that must fail did not: {refused[:200]}")
check("`url` must be an http or https address" in refused, f"the model does not see why a call failed: {refused[:300]}")
check("invalid_input" in refused, f"the model does not see the error's code: {refused[:300]}")
check(len(refused) <= 2 * FRAME_BYTES, f"the error is {len(refused)} characters long")
# A client that builds types from the output schemas: what was sent, and what of it is in the object.
for typed in report.get("typed", []):
    gone = lost(typed["sent"], typed["got"])
    what = ", ".join(gone[:8])
    check(not gone, f"{typed['tool']}: not in the type made from its schema: {what} ({len(gone)} in all)")

if wrong:
    sys.exit("\n".join([f"FAIL  {NAME} over {DOOR}", *(f"      {line}" for line in wrong)]))
sizes = ", ".join(str(len(answer["model"].encode())) for answer in answers)
typed = f", {len(report['typed'])} examples typed" if "typed" in report else ""
print(f"ok    {NAME} over {DOOR}: {len(report['tools'])} tools; the model sees {forwards}: {sizes} B; "
      f"progress {steps or 'not offered'}; "
      f"data {'whole' if 'data' in offers else 'not offered'}{typed}")
