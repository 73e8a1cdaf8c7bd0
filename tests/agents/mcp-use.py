"""mcp-use: its LangChain tools; the model sees what a tool returns, a failure as an object."""

import asyncio

from mcp_use import MCPClient
from mcp_use.agents.adapters.langchain_adapter import LangChainAdapter

from shared import CALLS, ENV, HTTP, TARGET, answer, report


async def main():
    server = {"url": TARGET[0]} if HTTP else {"command": TARGET[0], "args": TARGET[1:], "env": ENV}
    client = MCPClient({"mcpServers": {"freshcontext": server}})
    session = await client.create_session("freshcontext")
    listed = [tool.name for tool in await session.list_tools()]
    tools = {tool.name: tool for tool in await LangChainAdapter().create_tools(client)}
    answers = []
    for call in CALLS:
        message = await tools[call["tool"]].ainvoke(
            {"type": "tool_call", "id": "1", "name": call["tool"], "args": call["arguments"]}
        )
        result = await session.call_tool(call["tool"], call["arguments"])
        answers.append(answer(message.text, result.structuredContent, result.isError))
    await client.close_all_sessions()
    report(listed, answers, "text", ["data"])


asyncio.run(main())
