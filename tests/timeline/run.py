"""The timeline in a headless browser: what it draws, in a host and as a file, wide and narrow, dark and light; that
hostile answers stay text; and that no request leaves it.

run.py SERVER XTASK BROWSER [FOLDER]: with a folder, pictures of the pages are written into it.
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

SERVER, XTASK, BROWSER = sys.argv[1:4]
PICTURES = sys.argv[4] if len(sys.argv) > 4 else None
SECONDS = 90  # for one start of the browser, on a busy machine
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


HOSTILE = [
    "</script><script>window.ran = true</script>",
    "<img src=http://probe.invalid/image onerror='window.ran = true'>",
    "<style>@import 'http://probe.invalid/style';</style><svg onload='window.ran = true'>",
    "{{SCRIPT}} {{ANSWER}} <!-- <script> \u202e\u2028 &lt;b&gt; ${window.ran = true}",
]
SOURCES = ["javascript:window.ran=true", "data:text/html,<script>window.ran=true</script>", "https://example.com/\"onclick=\"window.ran=true", "vbscript:x"]
signals = [{"title": title, "content": f"{title} words about testing", "source": source, "published_at": "2026-11-20T12:00:00Z"}
           for title, source in zip(HOSTILE, SOURCES)]
judge = {"profile": "official_docs", "intent": "developer_adoption", "now": "2026-11-21T12:00:00Z", "signals": signals}
arguments = file("hostile.json", json.dumps(judge))
hostile = os.path.join(work.name, "hostile.html")
called = subprocess.run([SERVER, "call", "evaluate_context", "@" + arguments, "--json", "--html", hostile],
                        capture_output=True, text=True, timeout=SECONDS)
check(called.returncode == 0, f"the hostile call: {called.stderr}")
result = {"structuredContent": json.loads(called.stdout), "content": [], "isError": False}

# What a budget let in, as the answer's page and as that of its records.
with open(os.path.join(here, "..", "..", "examples", "signals.json"), encoding="utf-8") as examples:
    limited = json.load(examples) | {"budget": {"max_tokens": 400, "require": "dated"}}
kept = os.path.join(work.name, "records.json")
called = subprocess.run([SERVER, "call", "evaluate_context", "@" + file("limited.json", json.dumps(limited)), "--records", kept,
                         "--html", os.path.join(work.name, "budget.html")], capture_output=True, text=True, timeout=SECONDS)
check(called.returncode == 0, f"the call with a budget: {called.stderr}")
printed = subprocess.run([SERVER, "records", "page", kept], capture_output=True, text=True, timeout=SECONDS)
check(printed.returncode == 0, f"the page of records: {printed.stderr}")
file("records.html", printed.stdout)

subprocess.run([XTASK, "timelines", work.name], check=True, stdout=subprocess.DEVNULL)
pages = {name: read(os.path.join(work.name, name + ".html")) for name in ("list", "composite", "undated", "failed", "hostile", "budget", "records")}
tool = {"name": "evaluate_context", "title": "Evaluate context"}
trials = [{"name": f"{name} {width}", "html": page, "width": width, "theme": "light", "tool": {}}
          for name, page in pages.items() for width in (340, 1000)]
trials += [{"name": f"hosted {theme}", "html": view(), "width": 500, "theme": theme, "tool": tool, "arguments": {"profile": "official_docs"},
            "result": result} for theme in ("light", "dark")]
failure = {"structuredContent": {"message": "No answer in time", "code": "timeout"}, "content": [{"type": "text", "text": "x"}], "isError": True}
trials.append({"name": "hosted failure", "html": view(), "width": 500, "theme": "light", "tool": tool, "result": failure})

# The alarm works: what a page without our policy loads is seen.
browse(file("loads.html", "<img src=http://probe.invalid/control>"), "--virtual-time-budget=2000", "--dump-dom")
check(any("probe.invalid/control" in one for one in requests), f"a request of the control page is not seen: {requests}")
requests.clear()

shell = read(os.path.join(here, "host.html")).replace("TRIALS", json.dumps(trials).replace("<", "\\u003c"))
dumped = browse(file("host.html", shell), "--virtual-time-budget=30000", "--dump-dom")
found = re.search(r'<pre id="said">(.*?)</pre>', dumped, re.S)
said = {one["name"]: one for one in json.loads(html.unescape(found.group(1)))} if found else {}
check(len(said) == len(trials), f"{len(said)} of {len(trials)} pages were drawn")
EXPECTED = {  # items, of them undated, strips
    "budget": (4, 2, 0), "records": (4, 2, 0), "list": (4, 0, 0), "composite": (None, 1, 2), "undated": (1, 1, 0), "failed": (0, 0, 1), "hostile": (4, 1, 0), "hosted": (4, 1, 0),
}
for name, one in said.items():
    items, hollow, strips = EXPECTED[name.split()[0]] if name != "hosted failure" else (0, 0, 1)
    check(items is None or (one["items"], one["dots"]) == (items, items), f"{name}: {one['items']} items, {one['dots']} dots")
    check(one["items"] == one["dots"], f"{name}: {one['items']} items, {one['dots']} dots")
    check((one["hollow"], one["strips"]) == (hollow, strips), f"{name}: {one['hollow']} hollow, {one['strips']} strips")
    check(not one["wide"], f"{name}: wider than its frame")
    check(not one["ran"] and one["scripts"] == 2, f"{name}: a script of the answer ran or stands there")
    check(not set(one["elements"]) & {"img", "iframe", "link", "object", "embed", "base", "form"}, f"{name}: {one['elements']}")
    check(all(link.startswith(("http://", "https://")) for link in one["links"]), f"{name}: links {one['links']}")
    if name.startswith("hosted"):
        check(one["heard"][:2] == ["ui/initialize", "ui/notifications/initialized"], f"{name}: said {one['heard']}")
        check("ui/notifications/size-changed" in one["heard"], f"{name}: does not say its size: {one['heard']}")
        check(one["theme"] == ("dark" if name == "hosted dark" else "light"), f"{name}: theme {one['theme']}")
for name in ("budget 340", "budget 1000", "records 340", "records 1000"):
    one = said.get(name, {})
    check(one.get("parts") == 2, f"{name}: {one.get('parts')} pieces of the budget, not 2")
    for words in ("of 400 tokens", "Selected", "Left out", "failed_retrieval", "unverified_date", "missing, severity high"):
        check(words in one.get("text", ""), f"{name}: {words!r} is not there")
check("context.surface.created" in said.get("records 1000", {}).get("text", ""), "records: the events are not there")
for name in ("hostile 340", "hosted dark"):
    text = said.get(name, {}).get("text", "")
    check("window.ran = true" in text and "<img src=" in text, f"{name}: the titles are not shown as they are: {text[:300]}")
check("No answer in time" in said.get("hosted failure", {}).get("text", ""), "the failure's message is missing")
if said:
    check(said["hosted dark"]["ground"] != said["hosted light"]["ground"], "dark is as light")

SHOTS = [("list", "list", 1000, 850, False), ("list", "list-narrow-dark", 500, 900, True), ("composite", "composite", 1000, 620, False),
         ("composite", "composite-dark", 1000, 620, True), ("composite", "composite-narrow", 500, 800, False), ("undated", "undated", 1000, 700, False),
         ("budget", "budget", 1000, 900, False), ("records", "records-dark", 1000, 1000, True)]
for page, name, width, height, dark in SHOTS:
    picture = os.path.join(PICTURES or work.name, name + ".png")
    flags = ["--blink-settings=preferredColorScheme=0"] if dark else []
    browse(os.path.join(work.name, page + ".html"), f"--window-size={width},{height}", f"--screenshot={picture}", *flags)
    check(os.path.isfile(picture) and os.path.getsize(picture) > 5000, f"no picture {name}")

# The browser asks its maker for updates and the time, whatever it shows; no page names a host of that maker.
check(not any("google" in page for page in pages.values()), "a page names the browser's maker: the next check would not see it")
requests = [one for one in requests if not re.search(r"[/. ][a-z0-9]+\.google(apis)?\.com[:/]", one)]
check(not requests, f"requests left the pages: {requests}")
for complaint in wrong:
    print(f"timeline: {complaint}")
print(f"timeline: {len(said)} pages drawn, {len(SHOTS)} pictures, {len(requests)} requests, {len(wrong)} complaints")
sys.exit(1 if wrong else 0)
