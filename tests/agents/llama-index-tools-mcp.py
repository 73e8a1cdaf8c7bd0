"""LlamaIndex: its function tools; the model sees the tool output's content, which is the printed result."""

import asyncio

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

from shared import CALLS, ENV, HTTP, TARGET, answer, report


async def main():
    steps = []

    async def on_progress(progress, total, message):
        steps.append(progress)

    client = BasicMCPClient(TARGET[0]) if HTTP else BasicMCPClient(TARGET[0], args=TARGET[1:], env=ENV)
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(client).to_tool_list_async()}
    answers = []
    for call in CALLS:
        steps.clear()
        output = await tools[call["tool"]].acall(**call["arguments"])
        # Its tools hear no progress, its client does.
        await client.call_tool(call["tool"], call["arguments"], progress_callback=on_progress)
        result = output.raw_output
        answers.append(answer(output.content, result.structured_content, result.is_error, len(steps)))
    report(tools, answers, "both", ["data", "progress"])


asyncio.run(main())
