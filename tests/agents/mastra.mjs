// Mastra: an agent with a made-up model that asks for every call; the next prompt holds what came back.
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";
import { CALLS, HTTP, TARGET, report, scripted } from "./shared.mjs";

const [command, ...args] = TARGET;
const server = HTTP ? { url: new URL(TARGET[0]) } : { command, args, env: process.env };
const client = new MCPClient({ servers: { freshcontext: { ...server, enableProgressTracking: true } } });
let steps = 0;
await client.progress.onUpdate("freshcontext", () => (steps += 1));
const tools = await client.listTools();
const seen = {};
const model = {
  specificationVersion: "v3",
  provider: "trial",
  modelId: "trial",
  supportedUrls: {},
  doGenerate: async (options) => {
    for (const message of options.prompt.filter(({ role }) => role === "tool")) {
      for (const part of message.content) seen[part.toolCallId] = part.output;
    }
    return scripted(options, "freshcontext_");
  },
};
const agent = new Agent({ id: "trial", name: "trial", instructions: "trial", model, tools });
const { toolResults } = await agent.generate("go", { maxSteps: 2 });
const answers = CALLS.map((_, number) => {
  const { type, value } = seen[number];
  return {
    model: typeof value === "string" ? value : JSON.stringify(value),
    data: toolResults.find(({ payload }) => payload.toolCallId === String(number))?.payload.result ?? null,
    failed: type.startsWith("error"),
    progress: steps,
  };
});
await client.disconnect();
report(Object.keys(tools).map((name) => name.replace(/^freshcontext_/, "")), answers, "text", ["data", "progress"]);
