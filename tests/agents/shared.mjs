// What both Node clients have in common: see shared.py.
export const TARGET = process.argv.slice(2);
export const HTTP = TARGET[0].startsWith("http");
export const CALLS = JSON.parse(process.env.CALLS);

const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

/// A model's turn: first it asks for all calls, then it is done. `prefix` is what the client puts before tool names.
export const scripted = async ({ prompt }, prefix = "") =>
  prompt.some((message) => message.role === "tool")
    ? { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] }
    : {
        content: CALLS.map(({ tool, arguments: input }, number) => ({
          type: "tool-call",
          toolCallId: String(number),
          toolName: prefix + tool,
          input: JSON.stringify(input),
        })),
        finishReason: { unified: "tool-calls" },
        usage,
        warnings: [],
      };

export function report(tools, answers, forwards, offers) {
  console.log(JSON.stringify({ tools: tools.sort(), answers, forwards, offers }));
  process.exit(0);
}
