// The TypeScript client against the server on fixtures: calls, text, and failures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type ExtractHackernewsArguments, FreshContext, FreshContextError } from "./index.js";

const server = new FreshContext(process.argv[2]);
assert.equal((await server.health()).status, "ready");
assert.ok((await server.listTools()).tools.length > 20);
const body: ExtractHackernewsArguments = JSON.parse(readFileSync(process.argv[3] ?? "", "utf8"));
const answer = await server.extractHackernews(body);
assert.equal(answer.freshcontext?.adapter, "hackernews");
assert.equal(answer.items?.[0]?.n, 1);
assert.ok((await server.text("extract_hackernews", body)).startsWith("[FRESHCONTEXT]"));
const judged = await server.evaluate({ signals: [{ content: "a", source: "https://example.com/", status: "failed" }] });
assert.equal(judged.results?.[0]?.decision, "exclude");
const stamped = await server.stamp({ content: "a", adapter: "b" });
assert.equal((await server.verify(stamped)).verification, "valid");
assert.equal((await server.verify({ ...stamped, content: "c" })).verification, "invalid");
assert.equal((await server.inspect({ text: "a b" })).failed, false);
assert.equal((await server.validate({ response: "nothing" })).level, "fail");
await assert.rejects(server.extractHackernews({} as ExtractHackernewsArguments), (error: unknown) => {
  assert.ok(error instanceof FreshContextError);
  assert.deepEqual([error.status, error.problem.code, error.problem.field], [400, "invalid_input", "url"]);
  return true;
});
console.log("typescript: ok");
