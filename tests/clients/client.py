"""Drives the server with the Python clients: client.py (mcp|fastmcp) (auto|legacy) TARGET...

TARGET is an http address, or a command. The calls come from the environment variable CALLS, a JSON
list of {"tool", "arguments"}; each must succeed with structured content that the client accepts.
"""

import asyncio
import json
import os
import sys

LIBRARY, MODE, *TARGET = sys.argv[1:]
CALLS = json.loads(os.environ["CALLS"])
HTTP = TARGET[0].startswith("http")


def judge(name, text, structured, is_error):
    assert not is_error, f"{name} failed: {text}"
    assert structured, f"{name}: no structured content"
    if name != "evaluate_context":
        assert "[FRESHCONTEXT]" in text, f"{name}: no envelope: {text[:200]}"


async def with_mcp():
    from mcp import Client, StdioServerParameters

    where = TARGET[0] if HTTP else StdioServerParameters(command=TARGET[0], args=TARGET[1:], env=dict(os.environ))
    progress = []

    async def on_progress(done, total, message):
        progress.append((done, total, message))

    async with Client(where, mode=MODE) as client:
        tools = (await client.list_tools()).tools
        for call in CALLS:
            result = await client.call_tool(call["tool"], call["arguments"], progress_callback=on_progress)
            text = "".join(part.text for part in result.content if part.type == "text")
            judge(call["tool"], text, result.structured_content, result.is_error)
        bad = await client.call_tool("extract_hackernews", {"url": ""})
        assert bad.is_error and bad.structured_content["code"] == "invalid_input", bad
    assert [step[0] for step in progress] == sorted(step[0] for step in progress) or len(CALLS) > 1
    return tools


async def with_fastmcp():
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    where = TARGET[0] if HTTP else StdioTransport(command=TARGET[0], args=TARGET[1:], env=dict(os.environ))
    async with Client(where) as client:
        tools = await client.list_tools()
        for call in CALLS:
            result = await client.call_tool(call["tool"], call["arguments"], raise_on_error=False)
            text = "".join(part.text for part in result.content if part.type == "text")
            judge(call["tool"], text, result.structured_content, result.is_error)
        bad = await client.call_tool("extract_hackernews", {"url": ""}, raise_on_error=False)
        assert bad.is_error, bad
    return tools


async def main():
    tools = await (with_mcp() if LIBRARY == "mcp" else with_fastmcp())
    names = [tool.name for tool in tools]
    assert names == sorted(names) and len(names) == 22, names
    door = "http" if HTTP else "stdio"
    print(f"{LIBRARY} {MODE} over {door}: {len(names)} tools listed, {len(CALLS)} calls answered, 1 refused as it should")


asyncio.run(asyncio.wait_for(main(), 120))
