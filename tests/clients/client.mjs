// Drives the server with the TypeScript clients: client.mjs (sdk|client) (auto|legacy|2026-07-28) TARGET...
// TARGET is an http address, or a command. CALLS is a JSON list of {tool, arguments}; each must
// succeed with structured content that passes the client's own check against the output schema.
import assert from "node:assert/strict";

const [library, mode, ...target] = process.argv.slice(2);
const calls = JSON.parse(process.env.CALLS);
const http = target[0].startsWith("http");

async function connect() {
  if (library === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client({ name: "ci", version: "1" });
    if (http) {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      await client.connect(new StreamableHTTPClientTransport(new URL(target[0])));
    } else {
      const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
      await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env }));
    }
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const versionNegotiation = { mode: mode === "2026-07-28" ? { pin: mode } : mode };
  const client = new Client({ name: "ci", version: "1" }, { versionNegotiation });
  if (http) {
    await client.connect(new StreamableHTTPClientTransport(new URL(target[0])));
  } else {
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env }));
  }
  return client;
}

const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));
const client = await connect();
const { tools } = await client.listTools();
const names = tools.map((tool) => tool.name);
assert.equal(names.length, 22, names.join());
assert.deepEqual(names, [...names].sort());
for (const tool of tools) {
  assert.ok(tool.outputSchema && tool.annotations.readOnlyHint, tool.name);
}
for (const { tool, arguments: args } of calls) {
  const result = await client.callTool({ name: tool, arguments: args });
  const text = result.content.map((part) => part.text).join("");
  assert.ok(!result.isError, `${tool} failed: ${text}`);
  assert.ok(result.structuredContent, `${tool}: no structured content`);
  if (tool !== "evaluate_context") assert.match(text, /\[FRESHCONTEXT\]/);
}
const bad = await client.callTool({ name: "extract_hackernews", arguments: { url: "" } });
assert.ok(bad.isError, JSON.stringify(bad));
assert.equal(bad.structuredContent.code, "invalid_input");
assert.deepEqual(warnings, [], "the client warned about a schema");
await client.close();
console.log(
  `${library} ${mode} over ${http ? "http" : "stdio"}: ${names.length} tools listed, ${calls.length} calls answered, 1 refused as it should`,
);
process.exit(0);
