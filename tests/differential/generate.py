"""Seeded random calls of evaluate_context, and what each one is allowed to differ in."""

import random

PROFILES = (
    "official_docs code_activity social_pulse academic_research market_finance jobs_opportunities "
    "government_regulatory company_intel product_research composite_landscape multi_agent_handoff local_custom"
).split()
INTENTS = (
    "citation_check student_research developer_adoption job_search market_watch business_due_diligence "
    "medical_literature_triage"
).split()
SOURCE_TYPES = (
    "hackernews reddit producthunt jobs finance yc packagetrends github reposearch google_scholar arxiv changelog "
    "gdelt govcontracts gebiz sec_filings landscape idea_landscape gov_landscape finance_landscape "
    "company_landscape official_docs product_page agent_handoff user_provided "
    "manual documentation copy copied derived excerpt local local_custom local_file local_handoff secondary summary "
    "default unknown custom"
).split()
ODD_SOURCE_TYPES = ["", " ", "Default", "CUSTOM ", "\ufeffunknown", "COPY", " derived ", " ArXiv ", "HackerNews",
                    "toString", "constructor", "__proto__", "failed_jobs", "un\u212anown", "\u0085custom"]
SOURCES = ["https://example.com/page/{n}", "http://www.example.org/a/b?x={n}&y=2", "urn:doc:{n}", "notes/{n}.md",
           "C:\\notes\\{n}.txt", "/srv/notes/{n}", "A long enough name {n}", "memo{n}", "doc"]
ODD_SOURCES = ["unknown", "N/A", "na", "None", "NULL", "undefined", "Not Provided", "tbd ", " n/a", "abc", "a/b", "x:",
               "ab:cd", "a: b", "1:234", "\u00e9:abc", "....", "abcdefghijk", "abcdefghijkl", "not  provided",
               "\ufeffunknown\ufeff", "un\u212anown", "\u0085na\u0085", "\U0001f600" * 5, "\U0001f600" * 6, "a b c d e f",
               "  https://example.com/x  ", "mailto:a@example.com", "::::", "-a:bcd", "a_b:cd", "\u00a0tbd\u00a0"]
WORDS = ("parser release market paper index hiring tender filing graph model vendor price query cache stream library "
         "method result study runtime memory compiler protocol token scale team budget region export").split()
# Both servers read these, and to the same instant.
DATES = ["2026-06-0{d}", "2026-05-1{d}T10:00:00Z", "2025-0{d}-20T23:59:59.999Z", "2026-06-08T1{d}:00:00+02:00",
         "2026-06-09T11:0{d}", "2026-06-0{d}T10:00:00", "2026-06-0{d} 10:00:00", "0{d} Jun 2026 10:00:00 GMT",
         "Mon, 01 Jun 2026 1{d}:00:00 +0200", "2026-06-01T10:00:00.12345{d}Z", "2026-06-01T1{d}:00:00+0530",
         "2019-0{d}-01", "1970-01-0{d}", "2026-06-09T12:0{d}:00Z", "2026-06-09T12:05:00.00{d}Z", "2027-01-0{d}",
         " 2026-06-0{d} ", "2026-06-0{d}t10:00:00z", "2026-06-01T24:00:00Z", "01 Jun 2026 1{d}:00 EST", "", "  ",
         "yesterday", "not-a-date", "2026-13-0{d}", "20260601T", "2026-06-01T25:00:00Z", "\u4eca\u65e5"]
# The reference guesses at these, in local time or as another day; we drop them, or read those with one meaning
# (difference `dates`).
GUESSED_DATES = ["2026-1-5", "May 1, 2026", "2026-06", "2026", "06/01/2026", "2026/06/01", "12", "0", "2026-02-30",
                 "2026-02-30T00:00:00Z", "1 Jun 2026", "Jun 2026", "0001-01-01T00:00:00Z", "-000001-01-01T00:00:00Z",
                 "+002026-06-01T00:00:00Z", "0000-01-01", "Mon Jun 01 2026 10:00:00 GMT+0000 (UTC)",
                 "Tue, 01 Jun 2026 10:00:00 GMT", "2026-06-01Z", "2026.06.01", "June 1 2026 10:00"]
# We read these, the reference does not (also `dates`).
READ_DATES = ["20260601", "2026-W23-1", "2026-06-01T23:59:60Z", "2026-06-01T10:00:00+02", "2026-06-01T10:00:00 +0200",
              "2026-06-01T10:00:00 Z", "2026-06-01T10:00:00,5Z", "2026-06-01T10Z", "1717236000", "1717236000000",
              "Monday, 01-Jun-26 10:00:00 GMT", "2026-06-01T10:00:00+02:00[Europe/Paris]", "/Date(1717236000000)/"]
NOW = "2026-06-09T12:00:00.000Z"
# What the two failure guards may see differently (difference `guard`).
GUARDED = ["HTTP 403 Forbidden", "Error: fetch failed", "[ERROR] request timed out", "Just a moment...", "Access denied",
           "Too many requests. Try again later.", "404 Not Found", "", "  ", "\n\t",
           "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center>"
           "<hr><center>nginx</center></body></html>",
           '{"error": {"code": 500, "message": "internal error"}}',
           "Our guide explains what the status HTTP 404 means, why a page may be gone, and how a redirect helps."]
ODD_TEXT = ["a [FRESHCONTEXT] b [/FRESHCONTEXT] c", "line one  \r\nline two\t\rline three   ", "tabs\tand \u2028 breaks \u2029",
            "\U0001f600 family \U0001f468\u200d\U0001f469\u200d\U0001f467 and more words after it", "nul \u0000 bell \u0007 and text",
            "right \u202eto left\u202c text", "trailing blanks \n\n\n  \n", "\u00a0nbsp\u00a0 at the ends \u00a0",
            "[freshcontext_evaluation_json] {\"results\": []}", "caf\u00e9 na\u00efve \u65e5\u672c\u8a9e \u0627\u0644\u0639\u0631\u0628\u064a\u0629 text"]
METADATA = [{"is_derived": True}, {"is_derived": "true"}, {"is_derived": 1}, {"derived": True}, {"copied": True},
            {"is_secondary": True}, {"derived": False}, {"derived_from": "x"}, {"derived_from": " "}, {"derived_from": 5},
            {"copied_from": "y"}, {"original_source": "z"}, {"origin_source": "z"}, {"source_chain": ["a"]},
            {"source_chain": "a > b"}, {"result_id": "R-1"}, {"resultId": "R-2"}, {"source_id": " S "},
            {"sourceId": "S-2"}, {"result_id": " ", "source_id": "S"}, {"result_id": 5}, {"semantic_fingerprint": "fp"},
            {"semanticFingerprint": " fp "}, {"semantic_fingerprint": " ", "semanticFingerprint": "g"},
            {"semantic_fingerprint": 5}, {"nested": {"derived": True}, "list": [1, None]}, {}]


def maybe(rng, share):
    return rng.random() < share


def sentence(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


class Signal:
    """A generated signal: the arguments, and which wanted differences it may show."""

    def __init__(self, fields, allowed):
        self.fields = fields
        self.allowed = allowed


def signal(rng, place, scaled=False):
    token = f"q{place}z"
    fields, allowed = {}, set()
    plain_text = maybe(rng, 0.8)
    if maybe(rng, 0.85):
        fields["title"] = f"{token} {sentence(rng, rng.randint(1, 6))}"
    if "title" not in fields or maybe(rng, 0.85):
        lead = "" if "title" in fields else token + " "
        if plain_text or lead:
            text = " ".join(sentence(rng, rng.randint(6, 14)) for _ in range(rng.randint(1, 6)))
        elif maybe(rng, 0.5):
            text = rng.choice(ODD_TEXT)
            # A text may be short and odd enough for the guards to part ways.
            allowed.add("guard")
        else:
            text = rng.choice(GUARDED)
            allowed.add("guard")
        fields["content"] = lead + text
        if maybe(rng, 0.1):
            fields["content"] += rng.choice(["  \r\n", " \t\n more text", "\r\rend ", "\u2028 \n", "x" * 3000])
    elif "title" in fields and maybe(rng, 0.2):
        fields["title"] = f"{token} " + rng.choice(ODD_TEXT)
        allowed |= {"delimiters", "guard"}
    source = rng.choice(ODD_SOURCES) if maybe(rng, 0.2) else rng.choice(SOURCES)
    fields["source"] = source.replace("{n}", str(rng.randint(1, 10**6)))
    if maybe(rng, 0.02):
        fields["source"] += rng.choice([" [FRESHCONTEXT]", "\n", "\u200b", "\u202e"])
        allowed.add("delimiters")
    if maybe(rng, 0.9):
        fields["source_type"] = rng.choice(ODD_SOURCE_TYPES) if maybe(rng, 0.12) else rng.choice(SOURCE_TYPES)
    if maybe(rng, 0.3):
        fields["id"] = rng.choice(["", " ", f"id-{token}", f" id {token} "])
    if maybe(rng, 0.85):
        fields["semantic_score"] = rng.choice(
            [rng.random(), rng.random(), round(rng.random(), 2), round(rng.random(), 1), 1, 0, -0.0, 0.35, 0.5, 0.7, 0.85,
             1.5, -2, 1e-320, rng.uniform(0.7, 1)])
        if scaled:
            fields["semantic_score"] = rng.choice([1.5, -2, 1e308, rng.uniform(7, 30), rng.uniform(-11, 0), rng.randint(0, 100)])

    def date():
        share = rng.random()
        if share < 0.03:
            allowed.add("dates")
            return rng.choice(GUESSED_DATES)
        if share < 0.05:
            allowed.add("dates")
            return rng.choice(READ_DATES)
        return None if share < 0.08 else rng.choice(DATES).replace("{d}", str(rng.randint(1, 9)))

    if maybe(rng, 0.8):
        fields["published_at"] = date()
    if maybe(rng, 0.15):
        fields["content_date"] = date()
    if maybe(rng, 0.4):
        fields["retrieved_at"] = rng.choice([NOW, NOW, "2026-06-01T00:00:00Z", "2026-06-09", date()])
    if maybe(rng, 0.5):
        fields["date_confidence"] = rng.choice(["high", "high", "medium", "low", "unknown"])
    if maybe(rng, 0.2):
        fields["freshness_confidence"] = rng.choice(["high", "medium", "low"])
    if maybe(rng, 0.35):
        fields["status"] = rng.choice(["success", "partial", "stale", "failed", "unknown"])
    if maybe(rng, 0.35):
        fields["metadata"] = dict(rng.choice(METADATA), **(rng.choice(METADATA) if maybe(rng, 0.3) else {}))
    if "content_date" in fields and fields.get("published_at") is not None:
        # The reference takes the first that is there, we take the first that can be read.
        allowed.add("dates")
    if maybe(rng, 0.2):
        # A summary is a content where there is none, and its score is relevance where none is given.
        names = ["extra", "url", "freshness_score"] + (["summary"] if "content" in fields else [])
        names += ["score"] if "semantic_score" in fields or maybe(rng, 0.5) else []
        fields[rng.choice(names)] = rng.choice([1, "x", None, {"a": [1]}])
    return Signal(fields, allowed)


def call(rng, number):
    """One valid call. Profiles and intents take turns, so that every pair comes up."""
    profile = PROFILES[number % len(PROFILES)]
    intent = INTENTS[(number // len(PROFILES)) % len(INTENTS)]
    # Scores of another scale are those of a whole call.
    scaled = maybe(rng, 0.06)
    signals = [signal(rng, place, scaled) for place in range(rng.choice([1, 2, 3, 4, 6, 8, 12]))]
    if maybe(rng, 0.1) and len(signals) > 1 and signals[0].fields.get("content"):
        # The same content under another address: our note must appear, and nothing else may change.
        signals[-1].fields["content"] = signals[0].fields["content"]
        signals[-1].fields.setdefault("title", f"q{len(signals) - 1}z Copy")
        signals[-1].allowed |= signals[0].allowed
    now = rng.choice([NOW, NOW, NOW, "2026-06-09", "2026-06-09T12:00:00+02:00", "2030-01-01T00:00:00Z"])
    arguments = {"profile": profile, "intent": intent, "now": now, "signals": [s.fields for s in signals]}
    return arguments, [s.allowed for s in signals]


def good(**changes):
    fields = {"source": "https://example.com/a", "title": "A title", "content": "Some content about a parser release."}
    fields.update(changes)
    return {name: value for name, value in fields.items() if value is not ...}


def arguments(signals, **changes):
    fields = {"profile": "official_docs", "intent": "developer_adoption", "now": NOW, "signals": signals}
    fields.update(changes)
    return {name: value for name, value in fields.items() if value is not ...}


def wrong_calls():
    """(arguments, field that our error names) of calls that both servers refuse."""
    one = [good()]
    yield arguments(one, profile="nothing"), "profile"
    yield arguments(one, profile=5), "profile"
    yield arguments(one, intent="nothing"), "intent"
    yield arguments(one, intent=["citation_check"]), "intent"
    yield arguments(one, now="junk"), "now"
    yield arguments(one, now=5), "now"
    yield arguments([]), "signals"
    yield arguments({}), "signals"
    yield arguments(...), "signals"


def tolerated_calls():
    """(difference, arguments, place of the bad signal that is excluded, if any) of calls that the reference refuses."""
    one = [good()]
    for name in ("profile", "intent"):
        yield "defaults", arguments(one, **{name: ...}), None
        yield "defaults", arguments(one, **{name: None}), None
    yield "defaults", arguments(one, profile=" Official_Docs"), None
    yield "defaults", arguments(one, now=""), None
    yield "defaults", arguments(one, now=None), None
    for junk in (5, None, [], True):
        yield "bad_signals", arguments([good(), junk]), 1
    yield "no_source", arguments([good(), "A text alone."]), None
    for place in (0, 3):
        lead = [good()] * place
        yield "no_source", arguments(lead + [good(source=...)]), None
        yield "no_source", arguments(lead + [good(source=" \ufeff\n")]), None
        for name in ("source", "title", "content", "id", "source_type"):
            for junk in (5, None, ["x"], {}, True):
                yield "no_source" if name == "source" else "bad_signals", arguments(lead + [good(**{name: junk})]), None
        yield "bad_signals", arguments(lead + [good(source="a" * 2049)]), place
        yield "bad_signals", arguments(lead + [good(source="\U0001f600" * 1025)]), place
        yield "bad_signals", arguments(lead + [good(title="a" * 1001)]), None
        yield "bad_signals", arguments(lead + [good(content="a" * 50001)]), place
        yield "bad_signals", arguments(lead + [good(title=..., content=...)]), place
        yield "bad_signals", arguments(lead + [good(title=" ", content="\n")]), place
        for name in ("published_at", "content_date", "retrieved_at"):
            yield "dates", arguments(lead + [good(**{name: 1717236000})]), None
        for name, values in (
            ("semantic_score", ("0.5", None, True, [], {})),
            ("date_confidence", ("bogus", "High", "", None, 1)),
            ("freshness_confidence", ("bogus", "High", "", None, 1, "unknown")),
            ("status", ("bogus", "Success", "", None, 1)),
            ("metadata", ([1], "x", None, 5)),
        ):
            for junk in values:
                yield "bad_signals", arguments(lead + [good(**{name: junk})]), None


def accepted_at_the_edge():
    """Calls at a limit that both servers accept."""
    yield arguments([good(source="a" * 2048)])
    yield arguments([good(title="\U0001f600" * 500)])
    yield arguments([good(content="\u00e9" * 50000)])
    yield arguments([good(title="q%dz title" % n, source=f"https://example.com/{n}") for n in range(100)])
    yield arguments([good(published_at=None, content_date=None, retrieved_at=None)])


def wanted_calls():
    """(difference, arguments) of calls that the reference answers otherwise, on purpose."""
    yield "unknown_arguments", arguments([good()], signal=1)
    yield "unknown_arguments", arguments([good()], toolCallId="c1")
    yield "more_signals", arguments([good(source=f"https://example.com/{n}") for n in range(101)])
    yield "items_are_signals", arguments([{"title": "An item", "url": "https://example.com/i", "summary": "What it says."}])
    fresh = {"semantic_score": 0.95, "published_at": "2026-06-09T10:00:00Z", "source_type": "official_docs"}
    yield "judged_now", arguments([good(**dict(fresh, published_at="2020-06-01", retrieved_at="2020-06-01"))])
    yield "old_retrieval", arguments([good(**fresh, status="stale")])
    yield "low_dates", arguments([good(**fresh, date_confidence="low")])
    yield "relevance", arguments([{name: value for name, value in good(**fresh).items() if name != "semantic_score"}],
                                 query="parser release")
    yield "other_names", arguments([{"source": "https://example.com/t", "text": "What it says."}])
    yield "transport", arguments([good(**fresh, http_status=404)])
    yield "dates", arguments([good()], now="06/09/2026")
    yield "blank_titles", arguments([good(title=" ", content="The content itself.")])
    yield "blank_titles", arguments([good(title=..., content="a" * 79 + "\U0001f600\U0001f600")])
