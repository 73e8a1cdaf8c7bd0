// Logs an official TypeScript client in at the issuer that the server names, and calls a tool:
// client.mjs (sdk|client) (auto|legacy|2026-07-28) URL
import assert from "node:assert/strict";

const [library, mode, url] = process.argv.slice(2);
const sdk = "@modelcontextprotocol/sdk/client";
const { Client, StreamableHTTPClientTransport, UnauthorizedError } =
  library === "sdk"
    ? {
        ...(await import(`${sdk}/index.js`)),
        ...(await import(`${sdk}/streamableHttp.js`)),
        ...(await import(`${sdk}/auth.js`)),
      }
    : await import("@modelcontextprotocol/client");

// What a client keeps of a login; the browser's address comes back through `redirected`.
let redirected, verifier, tokens, information;
const provider = {
  redirectUrl: "http://127.0.0.1:9/callback",
  clientMetadata: {
    client_name: "ci",
    redirect_uris: ["http://127.0.0.1:9/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "the state of this login",
  clientInformation: () => information,
  saveClientInformation: (given) => (information = given),
  tokens: () => tokens,
  saveTokens: (given) => (tokens = given),
  redirectToAuthorization: (address) => (redirected = address),
  saveCodeVerifier: (given) => (verifier = given),
  codeVerifier: () => verifier,
};

const connect = async () => {
  const options = library === "sdk" ? {} : { versionNegotiation: { mode: mode === "2026-07-28" ? { pin: mode } : mode } };
  const client = new Client({ name: "ci", version: "1" }, options);
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  try {
    await client.connect(transport);
    return { client };
  } catch (error) {
    return { transport, error };
  }
};

const first = await connect();
assert.ok(first.error instanceof UnauthorizedError || redirected, `no login was asked for: ${first.error}`);
assert.ok(redirected, "the client found no issuer");
// The user's browser: it follows the address to the issuer, which agrees, and back.
const answer = await fetch(redirected, { redirect: "manual" });
assert.equal(answer.status, 302, await answer.text());
const back = new URL(answer.headers.get("location")).searchParams;
assert.ok(back.get("code"), String(back));
assert.equal(back.get("state"), "the state of this login");
await first.transport.finishAuth(library === "sdk" ? back.get("code") : back);
assert.ok(tokens.access_token, "no token");

const { client, error } = await connect();
assert.ok(client, `not connected after the login: ${error}`);
const { tools } = await client.listTools();
const result = await client.callTool({ name: "evaluate_context", arguments: { signals: [{ title: "a", content: "b" }] } });
assert.ok(tools.length > 0 && !result.isError && result.structuredContent, JSON.stringify(result));
await client.close();
console.log(`Total: ${library} ${mode}: logged in, ${tools.length} tools listed, 1 call answered`);
process.exit(0);
