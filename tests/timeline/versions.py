"""Two versions of a deliverable, made by the server against a scripted source: what is added, changed, gone and could not be
checked between Monday and Friday."""

import http.server
import json
import os
import subprocess
import threading

MONDAY, FRIDAY = "2026-11-23T09:00:00Z", "2026-11-27T09:00:00Z"
STORIES = {
    1: ("A borrow checker for spreadsheets", 211, 87, "2026-11-22T18:00:00Z"),
    2: ("Show HN: A terminal clock in Rust", 34, 6, "2026-11-22T09:30:00Z"),
    3: ("Rust in production: lessons after a year", 98, 41, "2026-11-20T07:15:00Z"),
    4: ("Ask HN: Is it worth learning Rust?", 320, 402, "2026-11-19T00:00:00Z"),
}
PAPER = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<id>http://arxiv.org/api/x</id><title>arXiv Query</title><updated>2026-11-23T00:00:00-05:00</updated>
<opensearch:totalResults>1</opensearch:totalResults><opensearch:startIndex>0</opensearch:startIndex><opensearch:itemsPerPage>1</opensearch:itemsPerPage>
<entry><id>http://arxiv.org/abs/2611.00001v1</id><updated>2026-11-20T12:00:00Z</updated><published>2026-11-20T12:00:00Z</published>
<title>Borrow checking, by example</title><summary>What a checker of borrows rejects, and why.</summary><author><name>Example Author</name></author>
<link href="http://arxiv.org/abs/2611.00001v1" rel="alternate" type="text/html"/></entry></feed>"""


class Source(http.server.BaseHTTPRequestHandler):
    """Hacker News search and arXiv. On Friday a story has more points and another title, one is new, one is no longer listed,
    and arXiv refuses requests."""

    friday = False

    def do_GET(self):
        host = self.headers.get("x-forwarded-host") or self.headers.get("host") or ""
        if "arxiv" in host:
            return self.say(429, "text/plain", "slow down") if Source.friday else self.say(200, "application/atom+xml", PAPER)
        stories = dict(STORIES)
        if Source.friday:
            del stories[4]
            stories[1] = ("A borrow checker for spreadsheets, now with formulas", 340, 112, STORIES[1][3])
            stories[5] = ("A week of Rust in a browser", 12, 3, "2026-11-26T16:40:00Z")
        hits = [{"objectID": str(90000 + number), "title": title, "url": f"https://example.com/{number}", "author": f"example_{number}", "points": points,
                 "num_comments": comments, "created_at": at, "_tags": ["story"]} for number, (title, points, comments, at) in sorted(stories.items())]
        return self.say(200, "application/json", json.dumps({"hits": hits, "nbHits": len(hits), "page": 0, "nbPages": 1, "hitsPerPage": 20}))

    def say(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def make(server, folder, name="rust"):
    """Writes deliverable-first.html and deliverable.html into the folder. Returns the text of the second version."""
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Source)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    data = os.path.join(folder, "store")

    def run(now, *words):
        env = os.environ | {"FRESHCONTEXT_DATA_DIR": data, "FRESHCONTEXT_UPSTREAM": f"*=http://127.0.0.1:{upstream.server_port}", "FRESHCONTEXT_REPLAY_AT": now}
        done = subprocess.run([server, "deliverable", *words], capture_output=True, text=True, env=env, timeout=90)
        if done.returncode:
            raise SystemExit(f"deliverable {' '.join(words)}: {done.stderr}{done.stdout}")
        return done.stdout

    run(MONDAY, "add", name, "--source", "extract_hackernews url=rust", "--source", "extract_arxiv url='borrow checking'", "--on-unchecked", "use_last", "--max-tokens", "600")
    run(MONDAY, "generate", name, "--html", os.path.join(folder, "deliverable-first.html"))
    Source.friday = True
    text = run(FRIDAY, "generate", name, "--html", os.path.join(folder, "deliverable.html"))
    upstream.shutdown()
    return text


if __name__ == "__main__":
    import sys
    print(make(sys.argv[1], sys.argv[2]))
