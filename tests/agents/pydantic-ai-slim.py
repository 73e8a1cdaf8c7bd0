"""pydantic-ai: an agent with a function for a model that asks for every call; what goes back is kept."""

import asyncio

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from shared import CALLS, ENV, HTTP, TARGET, answer, report


async def main():
    steps, listed, answers = [], [], []

    async def on_progress(progress, total, message):
        steps.append(progress)

    def model(messages, info):
        listed[:] = [tool.name for tool in info.function_tools]
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart):
                data = part.content if isinstance(part.content, dict) else None
                answers.append(answer(part.model_response_str(), data, part.outcome != "success", len(steps)))
            elif isinstance(part, RetryPromptPart):
                answers.append(answer(part.model_response(), None, True, len(steps)))
        steps.clear()
        if len(answers) == len(CALLS):
            return ModelResponse(parts=[TextPart("done")])
        call = CALLS[len(answers)]
        return ModelResponse(parts=[ToolCallPart(call["tool"], call["arguments"])])

    where = TARGET[0] if HTTP else StdioTransport(command=TARGET[0], args=TARGET[1:], env=ENV)
    async with Agent(FunctionModel(model), toolsets=[MCPToolset(where, progress_handler=on_progress)]) as agent:
        await agent.run("go")
    report(listed, answers, "json", ["data", "progress"])


asyncio.run(main())
