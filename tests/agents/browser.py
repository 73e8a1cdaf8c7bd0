"""A page in a headless browser calls the HTTP service from another origin; a probe comes with a foreign Host.

browser.py SERVER BROWSER PAGE. The service has a token, as one has that pages reach, and allows one origin of two.
"""

import http.client
import http.server
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

SERVER, BROWSER, PAGE = sys.argv[1:]
TOKEN = "a-token-that-only-this-trial-uses-0123456789"
SECONDS = 60  # until a page has said what it saw, on a busy machine
said = queue.Queue()
wrong = []


def check(holds, complaint):
    if not holds:
        wrong.append(complaint)


class Pages(http.server.BaseHTTPRequestHandler):
    """The page's own server: gives the page, takes what it saw."""

    def do_GET(self):
        found = self.path.startswith("/?")
        self.send_response(200 if found else 404)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        if found:
            with open(PAGE, "rb") as page:
                self.wfile.write(page.read())

    def do_POST(self):
        said.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words):
        pass


def visit(origin, service):
    """What the page saw when the browser took it from this origin."""
    query = urllib.parse.urlencode({"service": service, "token": TOKEN})
    # Helpers of the browser may still write there when it has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [BROWSER, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # the browser's own sandbox does not start for root
        browser = subprocess.Popen([*command, f"{origin}/?{query}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return said.get(timeout=SECONDS)
        except queue.Empty:
            return {"error": f"the page said nothing within {SECONDS} s"}
        finally:
            browser.terminate()
            browser.wait(timeout=20)


def probe(address, path, host):
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
threading.Thread(target=pages.serve_forever, daemon=True).start()
port = pages.server_address[1]
allowed, other = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
settings = {"FRESHCONTEXT_HTTP_ALLOWED_ORIGINS": allowed, "FRESHCONTEXT_HTTP_TOKEN": TOKEN}
server = subprocess.Popen(
    [SERVER, "http", "--addr", "127.0.0.1:0"], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
    env=os.environ | settings,
)
try:
    for line in server.stderr:
        if found := re.search(r"MCP at (http://([0-9.:]+)\S*)", line):
            break
    else:
        sys.exit("FAIL  browser: the server did not start")
    threading.Thread(target=server.stderr.read, daemon=True).start()  # so that it is not stopped by a full pipe
    service, address = found.groups()

    page = visit(allowed, service)
    check("error" not in page, f"a page of {allowed} was refused: {page.get('error')}")
    check(page.get("tools") == 22, f"the page lists {page.get('tools')} tools")
    for call in ("text", "newer"):
        check("[FRESHCONTEXT]" in page.get(call, ""), f"the page's call ({call}) gave {page.get(call)}")
    refused = visit(other, service)
    check("error" in refused and len(refused) == 1, f"a page of {other}, which is not allowed, saw {refused}")

    for path in ("/healthz", "/readyz"):
        status, body = probe(address, path, "10.1.2.3:8787")
        check(status == 200, f"a probe of {path} with the pod's address as Host got {status}: {body[:200]}")
    status, body = probe(address, "/mcp", "10.1.2.3:8787")
    check(status == 403 and "http.allowed_hosts" in body, f"/mcp with a foreign Host got {status}: {body[:200]}")
finally:
    server.terminate()
    server.wait(timeout=20)

if wrong:
    sys.exit("\n".join(["FAIL  browser", *(f"      {line}" for line in wrong)]))
print(f"ok    browser: {page['tools']} tools and a call in either protocol from another origin, none from one that is not "
      "allowed; probes with a foreign Host")
