"""The hand-off of docs/budget.md with a real framework client: handoff.py TARGET...

One agent has forty candidates and passes at most 4,000 tokens on to another. What is missing names its call;
that call is made, and fills the gap. TARGET is an http address, or a command.
"""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

TARGET = sys.argv[1:]
ROOM = 4_000
MISSING, SETTLED = "freshcontext/missing_id", "io.github.freshcontext/missing"


def candidates():
    """What an agent has gathered: notes of all sizes, a copy, a failed page, and a thread that it fetched long ago."""
    text = "The migration moves one service at a time. Each step can be undone. "
    notes = [{
        "source": f"https://docs.example.org/guide/{number}", "source_type": "official_docs", "title": f"Guide {number}",
        "content": f"Part {number}. " + text * (number % 9 + 2), "semantic_score": 0.9 - number / 100,
        "published_at": "2026-11-19T10:00:00Z", "retrieved_at": "2026-11-21T11:00:00Z", "date_confidence": "high",
    } for number in range(37)]
    copy = {**notes[0], "source": "https://mirror.example.org/guide/0"}
    failed = {**notes[1], "source": "https://docs.example.org/down", "content": "x", "http_status": 503}
    thread = {**notes[2], "source": "https://news.ycombinator.com/item?id=8863", "source_type": "hackernews",
              "content": "What the thread said long ago.", "retrieved_at": "2026-01-01T00:00:00Z", "published_at": "2026-01-01T00:00:00Z"}
    return [*notes, copy, failed, thread]


async def main():
    where = TARGET[0] if TARGET[0].startswith("http") else StdioTransport(
        command=TARGET[0], args=TARGET[1:], env=dict(os.environ))
    async with Client(where) as client:
        async def judged(signals, budget=None):
            result = await client.call_tool("evaluate_context", {
                "profile": "multi_agent_handoff", "intent": "developer_adoption", "query": "migration steps",
                "now": "2026-11-21T12:00:00Z", "signals": signals,
                "budget": budget or {"max_tokens": ROOM + 500, "reserved_tokens": 500, "target": "gpt-4o"}})
            text = "".join(part.text for part in result.content if part.type == "text")
            answer = result.structured_content
            # Nothing may fit; then the text says what came nearest, and nothing is handed on.
            assert text and text == (answer["assembly"]["text"] or answer["selection"]["note"])
            assert answer["budget"]["actual_tokens"] <= ROOM
            places = [it["index"] for part in ("selected", "omitted") for it in answer["selection"][part]]
            assert sorted(places) == list(range(1, len(answer["results"]) + 1)), places
            return answer

        first = await judged(candidates())
        reasons = {it["reason"] for it in first["selection"]["omitted"]}
        assert {"budget", "duplicate_coverage", "failed_retrieval"} <= reasons, reasons
        gap = next(gap for gap in first["missing_context"] if "item?id=8863" in gap["question"])
        call = gap["candidate_sources"][0]["call"]
        filled = await client.call_tool(call["tool"], call["arguments"], meta={MISSING: gap["missing_id"]})
        settled = filled.meta[SETTLED]
        assert settled["status"] == "resolved" and settled["missing_id"] == gap["missing_id"], settled
        again = await judged([filled.structured_content, *candidates()[:-1]])
        assert all("item?id=8863 say now" not in gap["question"] for gap in again["missing_context"])
        failed = await client.call_tool("extract_hackernews", {"url": ""}, raise_on_error=False,
                                        meta={MISSING: gap["missing_id"]})
        assert failed.meta[SETTLED]["status"] == "open", failed.meta
        nothing = await judged(candidates(), {"max_tokens": 64})
        assert not nothing["selection"]["selected"] and nothing["selection"]["note"].startswith(f"0 of {len(nothing['results'])} fit. ")
    # The second agent gets the text as it is, and nothing else.
    assert again["selection"]["selected"]
    message = {"role": "user", "content": "Context from the research agent:\n\n" + again["assembly"]["text"]}
    assert json.dumps(message) and message["content"].count("[FRESHCONTEXT]") == again["budget"]["actual_items"]
    print(f"{again['budget']['actual_items']} of {len(again['results'])} candidates handed on in "
          f"{again['budget']['actual_tokens']} of {ROOM} tokens; 1 gap filled by its call")


asyncio.run(asyncio.wait_for(main(), 120))
