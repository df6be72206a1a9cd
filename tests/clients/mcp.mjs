// Drives the official MCP SDKs for TypeScript, v1 and v2, unmodified: `node mcp.mjs PACKAGES JOBS`, JOBS as `mcp_one.py`.
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, given] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const v1 = {
  ...require("@modelcontextprotocol/sdk/client/index.js"),
  ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
};
const v2 = require("@modelcontextprotocol/client");

async function calls(client, asked) {
  const seen = {};
  for (const [name, [tool, args]] of Object.entries(asked)) {
    try {
      seen[name] = await client.callTool({ name: tool, arguments: args });
    } catch (error) {
      seen[name] = { raised: `${error.constructor.name}: ${error.message}` };
    }
  }
  return seen;
}

async function job(sdk, { url, headers, calls: asked, options = {} }) {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = new sdk.Client({ name: "test", version: "1" }, options);
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    if (!options.versionNegotiation) await client.ping(); // The newest version of the protocol has no ping.
    return { version: transport.protocolVersion, tools, calls: await calls(client, asked) };
  } catch (error) {
    return { raised: `${error.constructor.name}: ${error.message}` };
  } finally {
    await client.close();
  }
}

const seen = {};
for (const [way, sdk] of [["ts 1", v1], ["ts 2", v2]]) {
  seen[way] = {};
  for (const [name, one] of Object.entries(JSON.parse(given))) seen[way][name] = await job(sdk, one);
}
console.log(JSON.stringify(seen));
