"""LangChain: its tools, called as an agent calls them; the model sees the tool message's content."""

import asyncio

from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient

from shared import CALLS, ENV, HTTP, TARGET, answer, report


async def main():
    steps = []

    async def on_progress(progress, total, message, context):
        steps.append(progress)

    if HTTP:
        server = {"transport": "streamable_http", "url": TARGET[0]}
    else:
        server = {"transport": "stdio", "command": TARGET[0], "args": TARGET[1:], "env": ENV}
    client = MultiServerMCPClient({"freshcontext": server}, callbacks=Callbacks(on_progress=on_progress))
    tools = {tool.name: tool for tool in await client.get_tools()}
    answers = []
    for call in CALLS:
        steps.clear()
        message = await tools[call["tool"]].ainvoke(
            {"type": "tool_call", "id": "1", "name": call["tool"], "args": call["arguments"]}
        )
        data = (message.artifact or {}).get("structured_content")
        answers.append(answer(message.text, data, message.status == "error", len(steps)))
    report(tools, answers, "text", ["data", "progress"])


asyncio.run(main())
