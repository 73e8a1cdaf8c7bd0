"""Google ADK: an agent with a made-up model that asks for every call; it is sent the result as JSON."""

import asyncio
import json

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams, StreamableHTTPConnectionParams
from google.genai import types
from mcp import StdioServerParameters

from shared import CALLS, ENV, HTTP, TARGET, answer, report

steps, listed, answers = [], [], []


class Scripted(BaseLlm):
    """Asks for one call after the other and keeps what came back."""

    async def generate_content_async(self, llm_request, stream=False):
        listed[:] = llm_request.tools_dict
        for part in llm_request.contents[-1].parts:
            if part.function_response:
                result = part.function_response.response
                seen = json.dumps(result, ensure_ascii=False)
                answers.append(answer(seen, result.get("structuredContent"), result.get("isError"), len(steps)))
        steps.clear()
        part = types.Part(text="done")
        if len(answers) < len(CALLS):
            call = CALLS[len(answers)]
            part = types.Part(function_call=types.FunctionCall(name=call["tool"], args=call["arguments"]))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def on_progress(progress, total, message):
    steps.append(progress)


async def main():
    if HTTP:
        where = StreamableHTTPConnectionParams(url=TARGET[0])
    else:
        where = StdioConnectionParams(
            server_params=StdioServerParameters(command=TARGET[0], args=TARGET[1:], env=ENV), timeout=30
        )
    tools = McpToolset(connection_params=where, progress_callback=on_progress)
    agent = LlmAgent(name="trial", model=Scripted(model="trial"), tools=[tools])
    await InMemoryRunner(agent=agent).run_debug("go", quiet=True)
    await tools.close()
    report(listed, answers, "both", ["data", "progress"])


asyncio.run(main())
