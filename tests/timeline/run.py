"""The timeline in a headless browser: what it draws, in a host and as a file, wide and narrow, dark and light; that
hostile answers stay text; and that no request leaves it.

run.py SERVER XTASK BROWSER [FOLDER]: with a folder, pictures of the pages are written into it. With AXE set to the path of
axe-core's axe.min.js, each page is audited by it, light and dark, and nothing serious may be found.
"""

import html
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

import pictures
import versions

SERVER, XTASK, BROWSER = sys.argv[1:4]
PICTURES = sys.argv[4] if len(sys.argv) > 4 else None
AXE = os.environ.get("AXE")
SECONDS = 180  # for one start of the browser, on a busy machine
here = os.path.dirname(os.path.abspath(__file__))
wrong, requests = [], []


def check(holds, complaint):
    if not holds:
        wrong.append(complaint)


class Proxy(http.server.BaseHTTPRequestHandler):
    """Where every request of the browser ends, whatever host it is for."""

    def refuse(self):
        requests.append(f"{self.command} {self.path}")
        self.send_error(502)

    do_GET = do_POST = do_CONNECT = do_HEAD = do_OPTIONS = refuse

    def log_message(self, *words):
        pass


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=proxy.serve_forever, daemon=True).start()
work = tempfile.TemporaryDirectory()


def browse(page, *flags):
    # Helpers of the browser may still write there when it has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [BROWSER, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
                   "--disable-features=OptimizationHints,MediaRouter", f"--user-data-dir={profile}",
                   f"--proxy-server=http://127.0.0.1:{proxy.server_port}", "--proxy-bypass-list=<-loopback>", *flags]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # the browser's own sandbox does not start for root
        done = subprocess.run([*command, "file://" + page], capture_output=True, text=True, timeout=SECONDS)
        return done.stdout


def file(name, text):
    path = os.path.join(work.name, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def read(path):
    with open(path, encoding="utf-8") as page:
        return page.read()


def view():
    """The page as a client reads it."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "ui://freshcontext/timeline", "_meta": meta}}
    done = subprocess.run([SERVER, "stdio"], input=json.dumps(ask) + "\n", capture_output=True, text=True, timeout=SECONDS)
    content = json.loads(done.stdout.splitlines()[0])["result"]["contents"][0]
    check(content["mimeType"] == "text/html;profile=mcp-app", f"type {content['mimeType']}")
    check(not any(content["_meta"]["ui"]["csp"].values()), f"origins are asked for: {content['_meta']}")
    return content["text"]


PAGES = ("list", "composite", "undated", "failed", "quotes", "hostile", "budget", "records", "deliverable", "deliverable-first")
HOSTILE = [
    "</script><script>window.ran = true</script>",
    "<img src=http://probe.invalid/image onerror='window.ran = true'>",
    "<style>@import 'http://probe.invalid/style';</style><svg onload='window.ran = true'>",
    "{{SCRIPT}} {{ANSWER}} <!-- <script> \u202e\u2028 &lt;b&gt; ${window.ran = true}",
]
HIDDEN = "Invoice\u202efdp.exe\u200b"
SOURCES = ["javascript:window.ran=true", "data:text/html,<script>window.ran=true</script>", "https://example.com/\"onclick=\"window.ran=true", "vbscript:x"]
signals = [{"title": f"{title} {HIDDEN}", "content": f"{title} words about testing", "source": source, "published_at": "2026-11-20T12:00:00Z"}
           for title, source in zip(HOSTILE, SOURCES)]
judge = {"profile": "official_docs", "intent": "developer_adoption", "now": "2026-11-21T12:00:00Z", "signals": signals}
arguments = file("hostile.json", json.dumps(judge))
hostile = os.path.join(work.name, "hostile.html")
called = subprocess.run([SERVER, "call", "evaluate_context", "@" + arguments, "--json", "--html", hostile],
                        capture_output=True, text=True, timeout=SECONDS)
check(called.returncode == 0, f"the hostile call: {called.stderr}")
result = {"structuredContent": json.loads(called.stdout), "content": [], "isError": False}

# What a budget let in, as the answer's page and as that of its records.
documents = os.path.join(here, "documents.json")
kept = os.path.join(work.name, "records.json")
# One stated moment; no source is asked, so the upstream need not answer.
fixed = os.environ | {"FRESHCONTEXT_REPLAY_AT": "2026-11-21T12:00:00Z", "FRESHCONTEXT_UPSTREAM": "*=http://127.0.0.1:9"}
called = subprocess.run([SERVER, "call", "evaluate_context", "@" + documents, "--json", "--records", kept,
                         "--html", os.path.join(work.name, "budget.html")], capture_output=True, text=True, timeout=SECONDS, env=fixed)
limited = {"structuredContent": json.loads(called.stdout or "{}"), "content": [], "isError": False}
check(called.returncode == 0, f"the call with a budget: {called.stderr}")
delivered = file("delivered.txt", (limited["structuredContent"].get("assembly") or {}).get("text", ""))
printed = subprocess.run([SERVER, "records", "page", kept, "--text", delivered], capture_output=True, text=True, timeout=SECONDS)
check(printed.returncode == 0, f"the page of records: {printed.stderr}")
file("records.html", printed.stdout)
versions.make(SERVER, work.name)

subprocess.run([XTASK, "timelines", work.name], check=True, stdout=subprocess.DEVNULL)
pages = {name: read(os.path.join(work.name, name + ".html")) for name in PAGES}
with open(documents, encoding="utf-8") as given:
    question = {name: value for name, value in json.load(given).items() if name != "signals"}
tool = {"name": "evaluate_context", "title": "Evaluate context"}
trials = [{"name": f"{name} {width}", "html": page, "width": width, "theme": "light", "tool": {}}
          for name, page in pages.items() for width in (390, 1000)]
trials += [{"name": f"hosted {theme}", "html": view(), "width": 500, "theme": theme, "tool": tool, "arguments": {"profile": "official_docs"},
            "result": result} for theme in ("light", "dark")]
trials.append({"name": "hosted budget", "html": view(), "width": 1000, "theme": "light", "tool": tool, "arguments": question, "result": limited})
# The same answers as a host sends them: the page's own words for values are those of the server.
tools = sorted(name.removesuffix(".html") for name in os.listdir(os.path.join(work.name, "tools")) if name.endswith(".html"))
check(len(tools) > 20, f"pages of {len(tools)} tools")
every = ["quotes", "composite", "undated", *(os.path.join("tools", name) for name in tools)]
for name in every:
    page = read(os.path.join(work.name, name + ".html"))
    own = json.loads(re.search(r'id="answer">(.*?)</script>', page, re.S).group(1))
    with open(os.path.join(work.name, name + ".json"), encoding="utf-8") as sent:
        structured = json.load(sent)
    if name.startswith("tools"):
        trials.append({"name": f"{name} 1000", "html": page, "width": 1000, "theme": "light", "tool": {}})
    trials.append({"name": f"sent {name}", "html": view(), "width": 1000, "theme": "light", "tool": {"name": own["tool"], "title": own["title"]},
                   "arguments": own["arguments"], "result": {"structuredContent": structured, "content": [], "isError": False}})
if AXE:
    # Only for this audit, the page's policy is taken away: it admits no script but the page's own.
    carried = "<script>" + read(AXE).replace("</script", "<\\/script") + "</script>"
    for name, page in pages.items():
        bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', lambda found: carried, page, count=1)
        trials += [{"name": f"axe {name} {theme} {width}", "html": bare, "width": width, "theme": theme, "tool": {}}
                   for theme, width in (("light", 1000), ("dark", 390))]
failure = {"structuredContent": {"message": "No answer in time", "code": "timeout"}, "content": [{"type": "text", "text": "x"}], "isError": True}
trials.append({"name": "hosted failure", "html": view(), "width": 500, "theme": "light", "tool": tool, "result": failure})

# The alarm works: what a page without our policy loads is seen.
browse(file("loads.html", "<img src=http://probe.invalid/control>"), "--virtual-time-budget=2000", "--dump-dom")
check(any("probe.invalid/control" in one for one in requests), f"a request of the control page is not seen: {requests}")
requests.clear()

shell = read(os.path.join(here, "host.html")).replace("TRIALS", json.dumps(trials).replace("<", "\\u003c"))
dumped = browse(file("host.html", shell), "--virtual-time-budget=90000", "--dump-dom")
found = re.search(r'<pre id="said">(.*?)</pre>', dumped, re.S)
said = {one["name"]: one for one in json.loads(html.unescape(found.group(1)))} if found else {}
check(len(said) == len(trials), f"{len(said)} of {len(trials)} pages were drawn")
EXPECTED = {  # items, of them undated, strips
    "budget": (16, 4, 0), "records": (16, 4, 0), "list": (4, 0, 0), "composite": (None, 1, 2), "undated": (1, 1, 0), "failed": (0, 0, 1), "hostile": (4, 1, 0),
    "quotes": (2, 0, 0), "deliverable": (None, 0, 0), "deliverable-first": (None, 0, 0), "hosted": (4, 1, 0),
}
for name, one in said.items():
    if "broken" in one:
        check(False, f"{name}: {one['broken']}")
        continue
    check(not one["wide"], f"{name}: wider than its frame")
    check(one["heading"] and one["title"], f"{name}: no heading")
    if name.startswith("axe"):
        check("axe" in one, f"{name}: was not audited")
        serious = [found for found in one.get("axe", []) if found.startswith(("serious", "critical"))]
        check(not serious, f"{name}: {serious}")
        continue
    check(not one["used"], f"{name}: {one['used']}")
    check(one["items"] == one["dots"], f"{name}: {one['items']} items, {one['dots']} dots")
    if name.startswith("sent"):
        check(one["all"] == said[name.removeprefix("sent ") + " 1000"]["all"], f"{name}: a host's page says something else than the file")
        continue
    check(all(link.startswith(("http://", "https://")) for link in one["links"]), f"{name}: links {one['links']}")
    if name.startswith("tools"):
        check(one["items"] > 0 or "evaluate" in name, f"{name}: no items")
        continue
    items, hollow, strips = EXPECTED[name.split()[0]] if name not in ("hosted failure", "hosted budget") else (0, 0, 1) if name == "hosted failure" else (16, 4, 0)
    check(items is None or one["items"] == items, f"{name}: {one['items']} items")
    check((one["hollow"], one["strips"]) == (hollow, strips), f"{name}: {one['hollow']} hollow, {one['strips']} strips")
    check(not one["ran"] and one["scripts"] == 3, f"{name}: a script of the answer ran or stands there")
    check(not set(one["elements"]) & {"img", "iframe", "link", "object", "embed", "base", "form"}, f"{name}: {one['elements']}")
    if name.startswith("hosted"):
        check(one["heard"][:2] == ["ui/initialize", "ui/notifications/initialized"], f"{name}: said {one['heard']}")
        check("ui/notifications/size-changed" in one["heard"], f"{name}: does not say its size: {one['heard']}")
        check(one["theme"] == ("dark" if name == "hosted dark" else "light"), f"{name}: theme {one['theme']}")


def holds(name, **facts):
    one = said.get(name, {})
    for key, expected in facts.items():
        found = one.get(key, "")
        for part in expected if isinstance(expected, list) else [expected]:
            check(part in found if isinstance(expected, list) else part == found, f"{name}: {key} is {str(found)[:300]!r}, not {part!r}")


# The question and the verdict, in one sentence.
holds("list 1000", heading="rust on Hacker News: 4 stories, newest 10 hours old", half=1, text=["half-life 14 hours: score 50", "2019-11-20", "score 58", "high confidence"])
holds("composite 1000", heading="robots, topic landscape: 4 of 6 sources answered with 5 items, newest 29 hours old; 1 without a date; GitHub repositories and Reddit failed",
      text=["tags Robotics", "try again in 10 minutes", "half-life 14 hours"])
holds("undated 1000", heading="example.org/news/thing in its changelog: 1 item, no date")
holds("failed 1000", heading="example.org/changelog in its changelog: no answer, challenge", text=["Cloudflare answered with a check for people"])
holds("quotes 1000", text=["AAPL, MSFT on the market: 2 quotes, newest 23 hours old"])
for name in said:
    check("00:00 UTC" not in said[name].get("text", ""), f"{name}: a time of day that no source gave")
    check(not re.search(r'\[".*"\]|\[object', said[name].get("text", "")), f"{name}: a value as JSON")
check(said.get("quotes 1000", {}).get("day", 0) > 0, "quotes: a day is drawn as a moment")
# What went in first, then what was left out, by reason.
LEFT = [["Duplicate 1duplicate_coverage", False], ["Did not fit the budget 1budget", False], ["Not relevant enough 1low_relevance", False], ["Failed retrieval 1failed_retrieval", False]]
for name in ("budget 390", "budget 1000", "hosted budget"):
    holds(name, parts=12, folds=LEFT, text=["Release notes 5.1", "[FRESHCONTEXT]", "missing, severity"],
          heading="how to rotate a token: 12 of 16 went in, 1379 of 1500 tokens; left out: 1 duplicate, 1 did not fit the budget, 1 not relevant enough, 1 failed retrieval")
    check(said.get(name, {}).get("sections", [])[:2] == ["The text that went in 12", "Left out 4"], f"{name}: sections {said.get(name, {}).get('sections')}")
for name in ("records 390", "records 1000"):
    holds(name, text=["every rule holds", "each of its blocks, has its recorded hash", "Version 5.1 rotates tokens without downtime"])
    one = said.get(name, {})
    check([fold for fold in one.get("folds", []) if fold in LEFT] == LEFT, f"{name}: folds {one.get('folds')}")
    check("Retrieved: 2026-11-21T11:58:00Z" in one.get("all", ""), f"{name}: the delivered text is missing")
    check(one.get("heading", "").startswith("12 items of 5 sources were shown to the model; 3 have no date. 4 were left out: 1 duplicate,"), f"{name}: {one.get('heading')}")
    check(any(text.startswith("Events ") and not is_open for text, is_open in one.get("folds", [])), f"{name}: the events are not folded")
    check("context.surface.created" in one.get("all", "") and "sha256:" in one.get("all", ""), f"{name}: events or hashes are missing")
# What changed stands on top, with the old and the new value.
for name in ("deliverable 390", "deliverable 1000"):
    holds(name, heading="rust, version 2: 1 added, 1 changed, 1 no longer listed, 1 source could not be checked", versions=2,
          changed=[["comments", "87", "112"], ["points", "211", "340"], ["title", "A borrow checker for spreadsheets", "A borrow checker for spreadsheets, now with formulas"]],
          text=["Compared with version 1 of 2026-11-23 09:00 UTC", "its source did not report a removal", "the items of 2026-11-23 09:00 UTC are used", "2026-11-20T12:00:00Z (6 days ago)"])
    check(said.get(name, {}).get("sections", [])[:4] == ["Added 1", "Changed 1", "No longer listed 1", "Could not be checked 1"], f"{name}: sections {said.get(name, {}).get('sections')}")
holds("deliverable-first 1000", heading="rust, version 1: the first version, 5 items", versions=1)
check("window.ran" in said.get("hostile 390", {}).get("text", ""), "hostile: the titles are not shown")
for name in ("hostile 390", "hosted dark"):
    check(not re.search("[\u202e\u200b\u2028]", said.get(name, {}).get("all", "")), f"{name}: a hidden character is kept")
for name in ("hostile 390", "hosted dark"):
    text = said.get(name, {}).get("text", "")
    check("window.ran = true" in text and "<img src=" in text, f"{name}: the titles are not shown as they are: {text[:300]}")
check("No answer in time" in said.get("hosted failure", {}).get("text", ""), "the failure's message is missing")
if said:
    check(said["hosted dark"]["ground"] != said["hosted light"]["ground"], "dark is as light")

# Six pages, each light, dark and narrow. Headless Chromium has no window below 500 px, so the narrow ones stand in a frame.
SHOTS = [(page, height) for page, height in (("list", 900), ("composite", 960), ("undated", 700), ("budget", 900), ("records", 900), ("deliverable", 1000))]
for page, height in SHOTS:
    for look, width in (("", 1000), ("-dark", 1000), ("-390", 390)):
        picture = os.path.join(PICTURES or work.name, page + look + ".png")
        flags = ["--blink-settings=preferredColorScheme=" + ("0" if look == "-dark" else "1")]
        shown, high = os.path.join(work.name, page + ".html"), height if width > 390 else 900
        if width == 390:
            framed = f'<!doctype html><body style="margin:0"><iframe src="{page}.html" style="width:390px;height:{high}px;border:0;display:block"></iframe>'
            shown = file(f"{page}-framed.html", framed)
        browse(shown, f"--window-size={max(width, 500)},{high}", f"--screenshot={picture}", *flags)
        check(os.path.isfile(picture) and os.path.getsize(picture) > 5000, f"no picture {picture}")
        if PICTURES:
            pictures.shrink(picture, width)

# The browser asks its maker for updates and the time, whatever it shows; no page names a host of that maker.
check(not any(re.search(r"[/. ][a-z0-9]+\.google(apis)?\.com", page) for page in pages.values()), "a page names the browser's maker: the next check would not see it")
requests = [one for one in requests if not re.search(r"[/. ][a-z0-9]+\.google(apis)?\.com[:/]", one)]
check(not requests, f"requests left the pages: {requests}")
for complaint in wrong:
    print(f"timeline: {complaint}")
print(f"timeline: {len(said)} pages drawn, {3 * len(SHOTS)} pictures, {len(requests)} requests, {len(wrong)} complaints")
sys.exit(1 if wrong else 0)
