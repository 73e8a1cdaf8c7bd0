"""FastMCP: the client that builds Python types from the output schemas; an agent forwards the content's text."""

import asyncio
import json
import os

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from pydantic_core import to_jsonable_python

from shared import CALLS, ENV, HTTP, TARGET, answer, report


async def main():
    steps = []

    async def on_progress(progress, total, message):
        steps.append(progress)

    where = TARGET[0] if HTTP else StdioTransport(command=TARGET[0], args=TARGET[1:], env=ENV)
    answers, typed = [], []
    async with Client(where, progress_handler=on_progress) as client:
        tools = [tool.name for tool in await client.list_tools()]
        for call in CALLS:
            steps.clear()
            result = await client.call_tool(call["tool"], call["arguments"], raise_on_error=False)
            text = "".join(part.text for part in result.content)
            answers.append(answer(text, to_jsonable_python(result.data), result.is_error, len(steps)))
        # `data` is an object of a type made from the schema: a field that the schema lacks is lost in it.
        for call in json.loads(os.environ["EXAMPLES"]):
            result = await client.call_tool(call["tool"], call["arguments"])
            assert not isinstance(result.data, dict), f"no type was made for {call['tool']}"
            got = to_jsonable_python(result.data)
            typed.append({"tool": call["tool"], "sent": result.structured_content, "got": got})
    report(tools, answers, "text", ["data", "progress"], typed)


asyncio.run(main())
