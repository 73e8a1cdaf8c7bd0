// Signatures of the server, checked with Node's crypto from the key document alone.
import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";

const base = process.argv[2];
const document = await (await fetch(`${base}/v1/keys`)).json();
const keys = new Map(document.keys.map((key) => [key.kid, createPublicKey({ key, format: "jwk" })]));

function holds(signature, signed) {
  const lines = ["key_id", "signed_at", "subject", "sha256"].map((name) => `${name}=${signature[name]}`);
  const message = [signature.scheme, ...lines].join("\n");
  const key = keys.get(signature.key_id);
  const hash = createHash("sha256").update(signed).digest("hex");
  const bytes = Buffer.from(signature.signature, "base64url");
  return key !== undefined && hash === signature.sha256 && verify(null, Buffer.from(message), key, bytes);
}

const response = await fetch(`${base}/v1/evaluate`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    signals: [{ content: "a b", source: "https://example.com/", published_at: "2026-11-20", semantic_score: 0.1 + 0.2 }],
  }),
});
const answer = Buffer.from(await response.arrayBuffer());
const signature = JSON.parse(response.headers.get("freshcontext-signature"));
assert.ok(holds(signature, answer));
assert.ok(!holds(signature, Buffer.concat([answer, Buffer.from(" ")])), "a byte more");
const other = [...keys.keys()].find((kid) => kid !== signature.key_id);
assert.ok(!holds({ ...signature, key_id: other }, answer), "another key");
for (const verdict of JSON.parse(answer).signature.verdicts) {
  assert.ok(holds(verdict, Buffer.from(verdict.payload)));
  assert.ok(!holds(verdict, Buffer.from(verdict.payload.replace("decision=", "decision=x"))));
}
// The whole evaluation: its canonical JSON (RFC 8785) without this signature.
const sorted = (_, value) =>
  value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
const evaluation = JSON.parse(answer);
const { evaluation: seal, ...rest } = evaluation.signature;
evaluation.signature = rest;
assert.equal(seal.subject, "evaluation");
assert.ok(holds(seal, Buffer.from(JSON.stringify(evaluation, sorted))));
evaluation.now = "2030-01-01T00:00:00.000Z";
assert.ok(!holds(seal, Buffer.from(JSON.stringify(evaluation, sorted))), "a changed field");
console.log("signatures, by Node: ok");
