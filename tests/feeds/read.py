"""Reads the feeds that `deliverable watch` maintains with feedparser and with atoma, which refuses what RFC 4287 and JSON Feed
do not allow, and compares what they read with the changes that the upstream made.

    python3 read.py SERVER FOLDER
"""

import http.server
import json
import os
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import atoma
import feedparser

SERVER, FOLDER = sys.argv[1], Path(sys.argv[2])
# Longest wait for a change to be written, in seconds.
PATIENCE = 30
NOW = "2026-11-23T09:00:00Z"
# Titles of stories, as a source may write them.
FIRST = {1: "First", 2: "Ampersands & <b>tags</b> ]]>", 3: "Third \u2014 \U0001f680 \u05e9\u05dc\u05d5\u05dd"}
WRONG = []


def expect(holds, what):
    if not holds:
        WRONG.append(what)


class Upstream:
    """A loopback server in place of the source. `stories` may change between two requests."""

    def __init__(self, stories):
        self.stories = stories
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(upstream.page()).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def page(self):
        hits = [
            {
                "objectID": str(number),
                "title": title,
                "url": f"https://example.com/{number}?a=1&b=2",
                "author": "someone",
                "points": 10 + len(self.stories),
                "num_comments": 3,
                "created_at": f"2026-11-20T{10 + number:02}:00:00Z",
                "created_at_i": 1_795_168_800 + 3_600 * number,
                "_tags": ["story"],
            }
            for number, title in sorted(self.stories.items(), reverse=True)
        ]
        return {"hits": hits, "nbHits": 50, "page": 0, "nbPages": 3, "hitsPerPage": 20, "exhaustiveNbHits": True}


def environment(upstream):
    port = upstream.server.server_port
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(FOLDER),
        "FRESHCONTEXT_DATA_DIR": str(FOLDER / "data"),
        "FRESHCONTEXT_REPLAY_AT": NOW,
        "FRESHCONTEXT_UPSTREAM": f"*=http://127.0.0.1:{port}",
        "FRESHCONTEXT_LIMIT_ATTEMPTS": "1",
    }


def run(env, *arguments):
    subprocess.run([SERVER, *arguments], env=env, check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)


def written(path, words):
    """Waits until a feed has these words."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        text = path.read_text() if path.exists() else ""
        if words in text:
            return text
        time.sleep(0.05)
    raise SystemExit(f"{path.name} does not have {words!r} after {PATIENCE} s")


def moments(texts):
    return [datetime.fromisoformat(text.replace("Z", "+00:00")) for text in texts]


def read(atom, feed, titles):
    """What each reader finds in the two feeds."""
    loose = feedparser.parse(atom)
    expect(not loose.bozo, f"feedparser: {loose.get('bozo_exception')}")
    expect(loose.version == "atom10", f"feedparser takes it for {loose.version!r}")
    strict = atoma.parse_atom_bytes(atom.encode())
    ours = atoma.parse_json_feed_bytes(feed.encode())
    expect(json.loads(feed)["version"] == "https://jsonfeed.org/version/1.1", "JSON Feed: version")
    expect([entry.title.value for entry in strict.entries] == [item.title for item in ours.items], "two feeds, two lists")
    expect([entry.title for entry in loose.entries] == [entry.title.value for entry in strict.entries], "escaping")
    expect([entry.id_ for entry in strict.entries] == [item.id_ for item in ours.items], "two feeds, two ids of one change")
    for name, ids in [("Atom", [entry.id_ for entry in strict.entries]), ("JSON Feed", [item.id_ for item in ours.items])]:
        expect(len(ids) == len(set(ids)), f"{name}: an id twice: {ids}")
    for entry in strict.entries:
        expect(entry.updated.tzinfo is not None, f"{entry.title.value}: updated has no zone")
        expect(any(link.rel in (None, "alternate") for link in entry.links), f"{entry.title.value}: no rel=alternate")
    newest = max(entry.updated for entry in strict.entries)
    expect(strict.updated >= newest, f"the feed is older than its entry: {strict.updated} < {newest}")
    for item in json.loads(feed)["items"]:
        expect(isinstance(item["id"], str), "JSON Feed: an id is text")
        expect("content_text" in item or "content_html" in item, "JSON Feed: an item has content")
        moments(item[name] for name in ("date_published", "date_modified") if name in item)
    found = [entry.title.value for entry in strict.entries]
    for title in titles:
        expect(found.count(title) == 1, f"{title!r} stands {found.count(title)} times in {found}")
    return {entry.id_: entry.title.value for entry in strict.entries}


def main():
    upstream = Upstream(dict(FIRST))
    env = environment(upstream)
    run(env, "deliverable", "add", "brief", "--source", "extract_hackernews url=rust")
    run(env, "deliverable", "sync", "brief")
    atom, feed = FOLDER / "changes.atom", FOLDER / "changes.json"
    watch = [SERVER, "deliverable", "watch", "brief", "--every", "1", "--atom", str(atom), "--json-feed", str(feed)]
    watching = subprocess.Popen(watch, env=env, stdout=subprocess.DEVNULL)
    try:
        upstream.stories[4] = "Fourth & <i>last</i>"
        written(feed, "Fourth")
        before = read(written(atom, "Fourth"), written(feed, "Fourth"), ["added: Fourth & <i>last</i>"])
        upstream.stories[2] = "Second, corrected"
        upstream.stories[5] = "Fifth"
        written(feed, "Fifth")
        titles = ["added: Fourth & <i>last</i>", "added: Fifth", "changed: Second, corrected"]
        after = read(written(atom, "Fifth"), written(feed, "Fifth"), titles)
    finally:
        watching.terminate()
        watching.wait(PATIENCE)
    for known, title in before.items():
        # Of figures that always move, such as points, the newest change stands for all.
        if not title.startswith("changed: "):
            expect(after.get(known) == title, f"the id of {title!r} did not stay")
    for what in WRONG:
        print(f"WRONG: {what}")
    print(f"{len(after)} changes in two feeds, read by feedparser and atoma: {len(WRONG)} wrong")
    raise SystemExit(1 if WRONG else 0)


main()
