"""Compares evaluate_context with the reference server, call by call.

    python3 differential.py --reference 'node .../dist/server.js' --server 'freshcontext stdio'
    python3 differential.py --reference '...' --lines 'target/debug/examples/evaluate_lines'

Also read from FRESHCONTEXT_REFERENCE, FRESHCONTEXT_SERVER and FRESHCONTEXT_LINES. Order, decisions, scores
(1e-9), confidence, hashes, ids, readiness and hand-off must agree. The wanted differences are listed in
WANTED; each must be seen, each is asserted, and everything else fails. Needs nothing but Python 3.
"""

import argparse
import collections
import datetime
import json
import math
import os
import random
import re
import shlex
import subprocess
import sys

import generate

WANTED = {
    "guard", "errors_are_errors", "unknown_arguments", "dates", "more_signals", "near_duplicates", "ties",
    "items_are_signals", "delimiters", "text_without_json", "blank_titles", "gebiz_rate", "type_names",
    "judged_now", "old_retrieval", "low_dates", "relevance", "other_names", "transport", "scale", "reference_text",
    "bad_signals", "no_source", "defaults",
}
LEADING = ("use_first", "cite_as_primary", "cite_as_supporting", "use_as_background")
# Source types that are properties of every JavaScript object: the reference finds a function for a rate.
REFERENCE_TEXT = set("manual documentation specification law policy book runbook faq license".split())
# The types of our own sources.
OWN_TYPES = set(("hackernews reddit producthunt jobs finance yc packagetrends github reposearch google_scholar arxiv changelog "
                 "gdelt govcontracts gebiz sec_filings landscape idea_landscape gov_landscape finance_landscape "
                 "company_landscape").split())
INHERITED = {"toString", "constructor", "__proto__", "valueOf"}
OPEN, CLOSE = "[FRESHCONTEXT_EVALUATION_JSON]", "[/FRESHCONTEXT_EVALUATION_JSON]"
DELIMITER = re.compile(r"\[\s*/?\s*freshcontext", re.IGNORECASE)


class Lines:
    """A process that answers one JSON line with one JSON line."""

    def __init__(self, command):
        # A list, or a command line in shell notation. The environment goes in as it is.
        command = command if isinstance(command, list) else shlex.split(command)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, encoding="utf-8")

    def ask(self, message, answer=lambda _: True):
        self.send(message)
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"{self.process.args[0]} ended without an answer")
            value = json.loads(line)
            if answer(value):
                return value

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)


class Mcp(Lines):
    """An MCP server over stdio."""

    def __init__(self, command):
        super().__init__(command)
        self.number = 0
        client = {"name": "differential", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return self.ask(message, lambda value: value.get("id") == self.number)

    def evaluate(self, arguments):
        return self.request("tools/call", {"name": "evaluate_context", "arguments": arguments})


class Reference(Mcp):
    def judge(self, arguments):
        answer = self.evaluate(arguments)
        if "error" in answer:
            return {"error": answer["error"].get("message", "")}
        text = answer["result"]["content"][0]["text"]
        if OPEN not in text:
            return {"error": text, "is_error": answer["result"].get("isError", False)}
        return {"structured": json.loads(text.split(OPEN, 1)[1].rsplit(CLOSE, 1)[0]), "text": text}


class Server(Mcp):
    """Our server."""

    def judge(self, arguments):
        answer = self.evaluate(arguments)
        if "error" in answer:
            return {"error": answer["error"].get("message", ""), "is_error": False}
        result = answer["result"]
        text = "".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            return {"error": text + json.dumps(result.get("structuredContent")), "is_error": True}
        return {"structured": result["structuredContent"], "text": text}


class Library(Lines):
    """Our library, through its example program."""

    def judge(self, arguments):
        answer = self.ask(arguments)
        if "error" in answer:
            error = answer["error"]
            return {"error": f"{error['code']} {error['message']}", "field": error["field"], "is_error": True}
        return answer


# The reference keeps verdict ids to its library; this asks it for them.
IDS = """
const core = await import(process.argv[1]);
const lines = (await import("node:readline")).createInterface({input: process.stdin});
for await (const line of lines) {
  const {signal, decision, profile, intent, now} = JSON.parse(line);
  const id = core.computeVerdictId({signal}, decision, profile, intent);
  const again = core.computeVerdictRevalidateAfter(now, core.getSourceProfile(profile));
  console.log(JSON.stringify({id, again}));
}
"""


class Differences:
    def __init__(self):
        self.unexplained = []
        self.seen = collections.Counter()

    def wanted(self, kind):
        assert kind in WANTED, kind
        self.seen[kind] += 1

    def fail(self, call, what, theirs, ours, signal=None):
        self.unexplained.append({"call": call, "what": what, "theirs": theirs, "ours": ours, "signal": signal})


def place(result):
    """Where a result stood in the arguments; every generated signal carries its place."""
    identity = result["provenance_readiness"]["source_identity"]["result_id"] or ""
    found = re.search(r"q(\d+)z", result["title"]) or re.search(r"q(\d+)z", identity)
    return int(found.group(1)) if found else None


def close(one, other):
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 1e-9


def freshness(rate, published, retrieved):
    published, retrieved = (datetime.datetime.fromisoformat(text[:-1]) for text in (published, retrieved))
    hours = max(0.0, (retrieved - published).total_seconds() / 3600)
    return math.floor(100 * math.exp(-rate * hours) + 0.5)


def is_doubtful_date(signal, name, theirs):
    """Whether a date has no zone, so that its day may have begun elsewhere only, or stands for none (a clock's zero)."""
    given = [str(signal.get(key) or "").strip() for key in (name, "content_date")]
    zoneless = any(re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?", text) for text in given)
    return zoneless or str(theirs).startswith("1970-01")


def guarded(result, signal):
    """Whether the failure guard, not the caller, made this a failure."""
    return result["provenance_readiness"]["timing_completeness"] == "unknown" and signal.get("status") != "failed"


def is_votes(signal, score):
    """Whether a `score` is a count of votes: a whole number of one of our own sources."""
    return signal.get("source_type") in OWN_TYPES and type(score) in (int, float) and score == int(score)


def score_of(signal):
    """The relevance that a signal gives, by either name."""
    named = signal.get("score")
    scores = [signal.get("semantic_score"), None if is_votes(signal, named) else named]
    return next((score for score in scores if type(score) in (int, float)), None)


def is_scaled(signals):
    """Whether half of the scores lie outside 0 to 1, or one under another name: then all are ranked by their order."""
    scored = [signal for signal in signals if score_of(signal) is not None]
    outside = [signal for signal in scored if not 0 <= score_of(signal) <= 1]
    foreign = any(type(signal.get("semantic_score")) not in (int, float) for signal in outside)
    return foreign or len(outside) > 0 and 2 * len(outside) >= len(scored)


def compare_scaled(out, number, signals, new):
    """Nothing is a tie that is none; of two signals with the same date the higher score is first."""
    out.wanted("scale")
    for result in new["results"]:
        scored = score_of(signals[place(result)]) is not None
        if scored != (result.get("relevance") == "order"):
            out.fail(number, "scale", None, result.get("relevance"), signals[place(result)])
        if result["decision"] in ("use_first", "cite_as_primary", "cite_as_supporting") and scored:
            out.fail(number, "an order leads", None, result["decision"], signals[place(result)])
    if "notes" not in new:
        out.fail(number, "a note about the scale", None, None)


def compare_signal(out, number, profile, signal, allowed, theirs, ours):
    """Compares one result; returns whether it was comparable."""
    old, new = theirs["provenance_readiness"], ours["provenance_readiness"]
    doubtful = any("may be a failed retrieval" in reason for reason in ours["why"])
    if guarded(theirs, signal) != guarded(ours, signal) or doubtful:
        if "guard" not in allowed:
            out.fail(number, "guard on plain text", guarded(theirs, signal), [guarded(ours, signal), doubtful], signal)
        elif guarded(ours, signal):
            kept = [ours["decision"], ours["freshness_score"], ours["confidence"], new["state"]]
            if kept != ["exclude", None, "low", "unknown"]:
                out.fail(number, "a guarded failure", ["exclude", None, "low", "unknown"], kept, signal)
        elif doubtful and (ours["confidence"] == "high" or ours["decision"] in ("use_first", "cite_as_primary")):
            out.fail(number, "a doubtful text leads", None, ours["decision"], signal)
        out.wanted("guard")
        return False
    if "semantic_score" not in signal:
        score = signal.get("score")
        named = type(score) in (int, float) and not is_votes(signal, score)
        if named == ("relevance" in ours) or (not named and ours["utility_score"] is not None):
            out.fail(number, "relevance that nobody gave", None, [ours.get("relevance"), ours["utility_score"]], signal)
        out.wanted("other_names" if named else "relevance")
        return False
    hardly_ages = signal.get("source_type") in REFERENCE_TEXT or (profile == "local_custom" and not signal.get("source_type"))
    if old["retrieved_at"] != ours["evaluated_at"]:
        # Judged at the moment of asking: what was fetched before it can only be older by now.
        before = old["retrieved_at"] < ours["evaluated_at"]
        same = old["published_at"] == new["published_at"] and old["published_at"] is not None
        scores = theirs["freshness_score"], ours["freshness_score"]
        if same and before and None not in scores and scores[1] > scores[0] and not hardly_ages and signal.get("source_type") not in {*INHERITED, "gebiz"}:
            out.fail(number, "fresher than at its retrieval", *scores, signal)
        out.wanted("judged_now")
        return False
    if signal.get("status") == "stale":
        if ours["decision"] in LEADING or ours["handoff"]["safe_for_agent_handoff"]:
            out.fail(number, "an old copy leads", theirs["decision"], ours["decision"], signal)
        out.wanted("old_retrieval")
        return False
    if new["timing_confidence"] == "low" and theirs["confidence"] == "high":
        if ours["confidence"] == "high" or ours["decision"] in ("use_first", "cite_as_primary"):
            out.fail(number, "an estimated date leads", theirs["decision"], ours["decision"], signal)
        out.wanted("low_dates")
        return False
    for name in ("published_at", "retrieved_at"):
        if old[name] != new[name]:
            if "dates" not in allowed and not is_doubtful_date(signal, name, old[name]):
                out.fail(number, name, old[name], new[name], signal)
            elif name == "published_at" and new[name] is None and ours["freshness_score"] is not None:
                out.fail(number, "freshness without a date", None, ours["freshness_score"], signal)
            out.wanted("dates")
            return False
    if hardly_ages:
        if new["published_at"] and ours["freshness_score"] not in (None, freshness(0.00001, new["published_at"], new["retrieved_at"])):
            out.fail(number, "freshness of reference text", None, ours["freshness_score"], signal)
        out.wanted("reference_text")
        return False
    if re.fullmatch(r"\d{4}(-\d{2})?|[A-Z][a-z]{2} \d{4}", str(signal.get("published_at") or signal.get("content_date") or "").strip()):
        # A month or a year is less sure than a day.
        if new["timing_confidence"] == "high":
            out.fail(number, "a month is no day", None, new["timing_confidence"], signal)
        out.wanted("dates")
        return False
    rate = {"gebiz": "gebiz_rate", **dict.fromkeys(INHERITED, "type_names")}.get(signal.get("source_type"))
    if rate and new["published_at"]:
        # Not comparable, but the figure itself must follow the published rate of .001 an hour.
        if ours["freshness_score"] not in (None, freshness(0.001, new["published_at"], new["retrieved_at"])):
            out.fail(number, "freshness by the published rate", None, ours["freshness_score"], signal)
        out.wanted(rate)
        return False
    checks = [
        ("decision", theirs["decision"], ours["decision"]),
        ("freshness_score", theirs["freshness_score"], ours["freshness_score"]),
        ("confidence", theirs["confidence"], ours["confidence"]),
        ("state", old["state"], new["state"]),
        ("completeness", old["source_identity"]["completeness"], new["source_identity"]["completeness"]),
        ("timing_confidence", old["timing_confidence"], new["timing_confidence"]),
        ("timing_completeness", old["timing_completeness"], new["timing_completeness"]),
        ("content hash", old["canonical_content_sha256"], new["canonical_content_sha256"]),
        ("fingerprint", old["semantic_fingerprint_sha256"], new["semantic_fingerprint_sha256"]),
        ("handoff", theirs["readable"]["handoff"]["safe_for_agent_handoff"],
         ours["handoff"]["safe_for_agent_handoff"]),
    ]
    for what, one, other in checks:
        if one != other:
            out.fail(number, what, one, other, signal)
    for what in ("rank_score", "utility_score"):
        if not close(theirs[what], ours[what]):
            out.fail(number, what, theirs[what], ours[what], signal)
    for what, one, other in [
        ("source", theirs["source"], ours["source"]),
        ("source_type", theirs["source_type"], ours["source_type"]),
        ("title", theirs["title"], ours["title"]),
        ("result_id", old["source_identity"]["result_id"], new["source_identity"]["result_id"]),
    ]:
        if one != other:
            # Cleaning differs; what remains must be harmless and, but for blanks and marks, the same.
            letters = lambda text: re.sub(r"[^\w]|NEUTRALIZED", "", text or "")
            if DELIMITER.search(other or "") or (letters(one) != letters(other) and "delimiters" not in allowed):
                out.fail(number, what, one, other, signal)
            out.wanted("delimiters")
    return True


def compare(out, ids, number, arguments, allowed, theirs, ours):
    signals = arguments["signals"]
    for answer, name in ((theirs, "reference"), (ours, "ours")):
        if "error" in answer:
            out.fail(number, f"{name} refused", None, answer["error"][:200], arguments)
            return
    if "[FRESHCONTEXT" in ours["text"] or '"results"' in ours["text"].replace('"results": []}', ""):
        out.fail(number, "JSON or a delimiter in the text", None, ours["text"][:200])
    out.wanted("text_without_json")
    old, new = theirs["structured"], ours["structured"]
    places = [place(result) for result in new["results"]]
    if None in places or sorted(places) != list(range(len(signals))):
        out.fail(number, "results", len(signals), places)
        return
    if [result["index"] for result in new["results"]] != list(range(1, len(signals) + 1)):
        out.fail(number, "index", None, [result["index"] for result in new["results"]])
    if set(new["legend"]) != {result["decision"] for result in new["results"]}:
        out.fail(number, "legend", None, sorted(new["legend"]))
    mine = {place(result): result for result in new["results"]}
    if is_scaled(signals):
        compare_scaled(out, number, signals, new)
        check_duplicates(out, number, signals, new["results"])
        return
    order = [place(result) for result in old["results"]]
    kept = set()
    for at, result in zip(order, old["results"]):
        if compare_signal(out, number, arguments["profile"], signals[at], allowed[at], result, mine[at]):
            kept.add(at)
            check_id(out, ids, number, arguments, signals[at], result, mine[at])
    ranks = dict(zip(order, (round(result["rank_score"], 10) for result in old["results"])))
    settled = sorted(order, key=lambda at: (-ranks[at], at))
    if [at for at in settled if at in kept] != [at for at in places if at in kept]:
        out.fail(number, "order", settled, places, arguments)
    elif settled != order:
        out.wanted("ties")
    check_duplicates(out, number, signals, new["results"])


def check_id(out, ids, number, arguments, signal, theirs, ours):
    if ids is None:
        return
    facts = {"source": signal["source"], "source_type": signal.get("source_type", "default"),
             "published_at": theirs["provenance_readiness"]["published_at"]}
    if "id" in signal:
        facts["id"] = signal["id"]
    found = ids.ask({"signal": facts, "decision": theirs["decision"], "profile": arguments["profile"],
                     "intent": arguments["intent"], "now": ours["evaluated_at"]})
    if found["id"] != ours["verdict_id"]:
        out.fail(number, "verdict_id", found["id"], ours["verdict_id"], signal)
    if found["again"] != ours["revalidate_after"]:
        out.fail(number, "revalidate_after", found["again"], ours["revalidate_after"], signal)


def check_duplicates(out, number, signals, results):
    """The later of two equal contents says so; nobody else does."""
    contents = {}
    for result in results:
        content = signals[place(result)].get("content", "")
        digest = result["provenance_readiness"]["canonical_content_sha256"]
        noted = any(warning.startswith("Same content") for warning in result["warnings"])
        expected = bool(content.strip()) and digest in contents
        if noted != expected:
            out.fail(number, "near-duplicate note", expected, noted, signals[place(result)])
        if expected:
            out.wanted("near_duplicates")
        if content.strip():
            contents.setdefault(digest, result["index"])


def check_errors(out, reference, ours):
    refused = 0
    for arguments, field in generate.wrong_calls():
        theirs, answer = reference.judge(arguments), ours.judge(arguments)
        if "error" not in theirs:
            out.fail("errors", f"the reference accepts a wrong {field}", None, None, arguments)
        if not answer.get("is_error") or f"`{field}`" not in answer.get("error", "") or "invalid_input" not in answer["error"]:
            out.fail("errors", field, theirs.get("error", "")[:120], str(answer)[:300], arguments)
        refused += 1
        if not theirs.get("is_error"):
            out.wanted("errors_are_errors")
    for kind, arguments, bad in generate.tolerated_calls():
        theirs, answer = reference.judge(arguments), ours.judge(arguments)
        if "error" in answer:
            out.fail("tolerated", kind, theirs.get("error", "")[:120], answer["error"][:300], str(arguments)[:300])
            continue
        excluded = [result["input_index"] for result in answer["structured"]["results"] if result["decision"] == "exclude"]
        if "error" not in theirs or excluded != ([] if bad is None else [bad]):
            out.fail("tolerated", kind, theirs.get("error", "accepted")[:120], excluded, str(arguments)[:300])
        out.wanted(kind)
    for arguments in generate.accepted_at_the_edge():
        theirs, answer = reference.judge(arguments), ours.judge(arguments)
        if "error" in theirs or "error" in answer:
            out.fail("edge", "refused", theirs.get("error"), answer.get("error"), str(arguments)[:300])
    return refused


def check_wanted(out, reference, ours):
    for kind, arguments in generate.wanted_calls():
        theirs, answer = reference.judge(arguments), ours.judge(arguments)
        refused = "error" in answer
        first = None if refused else answer["structured"]["results"][0]
        good = {
            "unknown_arguments": lambda: "error" not in theirs and (
                refused and "`signal`" in answer["error"] if "signal" in arguments
                else not refused and "`toolCallId`" in answer["text"]),
            "dates": lambda: refused and "`now`" in answer["error"] and "error" not in theirs,
            "more_signals": lambda: len(answer["structured"]["results"]) == 101 and "error" in theirs,
            "items_are_signals": lambda: first["source"] == arguments["signals"][0]["url"] and "error" in theirs
            and first["provenance_readiness"]["canonical_content_sha256"] is not None,
            "judged_now": lambda: first["freshness_score"] == 0 and theirs["structured"]["results"][0]["freshness_score"] == 100
            and first["decision"] == "needs_refresh",
            "old_retrieval": lambda: first["decision"] == "needs_refresh" and "needs" not in theirs["structured"]["results"][0]["decision"],
            "low_dates": lambda: first["confidence"] == "medium" and theirs["structured"]["results"][0]["confidence"] == "high",
            "relevance": lambda: first["relevance"] == "query" and first["decision"] == "use_as_background"
            and theirs["structured"]["results"][0]["utility_score"] == 0,
            "other_names": lambda: first["provenance_readiness"]["canonical_content_sha256"] is not None and "error" in theirs,
            "transport": lambda: first["decision"] == "exclude" and theirs["structured"]["results"][0]["decision"] != "exclude",
            "blank_titles": lambda: first["title"] != theirs["structured"]["results"][0]["title"]
            and arguments["signals"][0]["content"].startswith(first["title"].rstrip("\u2026")),
        }[kind]()
        if good:
            out.wanted(kind)
        else:
            out.fail("wanted", kind, str(theirs)[:300], str(answer)[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", default=os.environ.get("FRESHCONTEXT_REFERENCE"))
    parser.add_argument("--server", default=os.environ.get("FRESHCONTEXT_SERVER"))
    parser.add_argument("--lines", default=os.environ.get("FRESHCONTEXT_LINES"))
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not options.reference or not (options.server or options.lines):
        parser.error("--reference and one of --server and --lines are needed")
    if options.lines:
        listed = subprocess.run([*shlex.split(options.lines), "--differences"], capture_output=True, check=True, text=True)
        assert {each["id"] for each in json.loads(listed.stdout)} == WANTED, "the library lists other differences"
    reference = Reference(options.reference)
    ours = Server(options.server) if options.server else Library(options.lines)
    core = os.path.join(os.path.dirname(os.path.abspath(shlex.split(options.reference)[-1])), "core", "index.js")
    ids = Lines(["node", "--input-type=module", "-e", IDS, core]) if os.path.exists(core) else None
    out = Differences()
    rng = random.Random(options.seed)
    signals = 0
    for number in range(options.calls):
        arguments, allowed = generate.call(rng, number)
        signals += len(arguments["signals"])
        compare(out, ids, number, arguments, allowed, reference.judge(arguments), ours.judge(arguments))
    refused = check_errors(out, reference, ours)
    check_wanted(out, reference, ours)
    for process in (reference, ours, ids):
        if process is not None:
            process.close()
    unseen = WANTED - set(out.seen)
    print(f"{options.calls} random calls with {signals} signals, seed {options.seed}; {refused} wrong calls")
    print("verdict ids compared" if ids else "verdict ids NOT compared: the reference's library was not found")
    print("wanted differences: " + ", ".join(f"{kind} {count}" for kind, count in sorted(out.seen.items())))
    print(f"unexplained differences: {len(out.unexplained)}")
    for what, count in collections.Counter(each["what"] for each in out.unexplained).most_common():
        print(f"  {count} x {what}")
    for each in out.unexplained[:12]:
        print(json.dumps(each)[:900])
    if unseen:
        print("wanted differences that never showed: " + ", ".join(sorted(unseen)))
    return 1 if out.unexplained or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
