// Signs in with the OAuth providers of the official MCP SDKs for TypeScript, v1 and v2, unmodified:
// `node mcp_sign_in.mjs PACKAGES JOB`, JOB as `mcp_sign_in.py` takes it.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, given] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const v1 = {
  ...require("@modelcontextprotocol/sdk/client/index.js"),
  ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  ...require("@modelcontextprotocol/sdk/client/auth.js"),
  ...require("@modelcontextprotocol/sdk/client/auth-extensions.js"),
};
const v2 = require("@modelcontextprotocol/client");
const job = JSON.parse(given);

/** The registration of the app, its tokens, and a user who is signed in to the tenant and consents. */
class User {
  get redirectUrl() { return job.redirect; }
  get clientMetadata() {
    return { client_name: "test", redirect_uris: [job.redirect], token_endpoint_auth_method: "none" };
  }
  clientInformation() { return { client_id: job.client }; }
  tokens() { return this.saved; }
  saveTokens(tokens) { this.saved = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  async redirectToAuthorization(address) {
    const answer = await fetch(address, { redirect: "manual" });
    this.redirected = new URL(answer.headers.get("location")).searchParams;
  }
}

async function connected(sdk, authProvider) {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(job.url), { authProvider });
  const client = new sdk.Client({ name: "test", version: "1" });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    return tools.map((tool) => tool.name);
  } catch (error) {
    if (!(error instanceof sdk.UnauthorizedError) || !authProvider.redirected) throw error;
    const told = authProvider.redirected;
    if (told.has("error")) throw new Error(told.get("error_description"));
    authProvider.redirected = undefined;
    await transport.finishAuth(told.get("code"));
    return connected(sdk, authProvider);
  } finally {
    await client.close();
  }
}

const seen = {};
// The app of version 1 asks for the scope that it is configured with, and reads none of the metadata.
for (const [name, sdk, scope] of [["ts 1", v1, `${job.url}/.default`], ["ts 2", v2, undefined]]) {
  const app = new sdk.ClientCredentialsProvider({ clientId: job.client, clientSecret: job.secret, scope });
  seen[name] = {};
  for (const [way, provider] of [["user", new User()], ["app", app]]) {
    seen[name][way] = await connected(sdk, provider).catch((error) => `${error.constructor.name}: ${error.message}`);
  }
}
console.log(JSON.stringify(seen));
