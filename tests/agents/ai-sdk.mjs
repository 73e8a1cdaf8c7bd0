// AI SDK: `generateText` with a mock model that asks for every call; the next prompt holds what came back.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { CALLS, HTTP, TARGET, report, scripted } from "./shared.mjs";

const [command, ...args] = TARGET;
const client = await createMCPClient({
  transport: HTTP ? { type: "http", url: TARGET[0] } : new StdioTransport({ command, args, env: process.env }),
});
const tools = await client.tools();
const results = [];
const model = new MockLanguageModelV4({ doGenerate: scripted });
const onStepFinish = (step) => results.push(...step.toolResults);
await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(2), onStepFinish });
const messages = model.doGenerateCalls.at(-1).prompt.filter(({ role }) => role === "tool");
const seen = messages.flatMap(({ content }) => content);
const answers = CALLS.map((_, number) => {
  const { output } = seen.find((part) => part.toolCallId === String(number));
  const result = results.find((part) => part.toolCallId === String(number)).output;
  return {
    model: output.type === "content" ? output.value.map((part) => part.text).join("") : JSON.stringify(output.value),
    data: result.structuredContent ?? null,
    failed: result.isError === true,
    progress: 0,
  };
});
await client.close();
report(Object.keys(tools), answers, "text", ["data"]);
