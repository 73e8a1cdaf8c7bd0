"""OpenAI Agents: an agent with a made-up model that asks for every call; the text goes back to it."""

import asyncio
import json

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from shared import CALLS, ENV, HTTP, TARGET, answer, report


class Scripted(Model):
    """Asks for all calls, then keeps what came back."""

    async def get_response(self, system_instructions, input, *args, **kwargs):
        self.seen = {item["call_id"]: item["output"] for item in input if item.get("type") == "function_call_output"}
        if self.seen:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output = [ResponseOutputMessage(id="end", content=[text], role="assistant", status="completed", type="message")]
        else:
            output = [
                ResponseFunctionToolCall(
                    call_id=str(number), name=call["tool"], arguments=json.dumps(call["arguments"]), type="function_call"
                )
                for number, call in enumerate(CALLS)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def main():
    if HTTP:
        server = MCPServerStreamableHttp({"url": TARGET[0]}, client_session_timeout_seconds=60)
    else:
        params = {"command": TARGET[0], "args": TARGET[1:], "env": ENV}
        server = MCPServerStdio(params, client_session_timeout_seconds=60)
    async with server:
        tools = [tool.name for tool in await server.list_tools()]
        model = Scripted()
        await Runner.run(
            Agent("trial", model=model, mcp_servers=[server]), "go", run_config=RunConfig(tracing_disabled=True)
        )
        answers = []
        for number, call in enumerate(CALLS):
            seen = model.seen[str(number)]
            result = await server.call_tool(call["tool"], call["arguments"])
            text = seen if isinstance(seen, str) else "".join(part["text"] for part in seen)
            answers.append(answer(text, result.structured_content, result.is_error))
    report(tools, answers, "text", ["data"])


asyncio.run(main())
