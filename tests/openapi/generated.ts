// Calls the service through openapi-fetch and the types that openapi-typescript writes, and prints what it saw as one
// JSON object: `node generated.js ADDRESS QUERY_KEY ADMIN_KEY`.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: [string, string, string, string, string] };

const [, , baseUrl, queryKey, adminKey] = process.argv;
const version = { "api-version": "2025-05-01-preview" } as const;
const asking = createClient<paths>({ baseUrl, headers: { "api-key": queryKey } });
const managing = createClient<paths>({ baseUrl, headers: { "api-key": adminKey } });

const question: components["schemas"]["RetrieveRequest_2025_05_01_preview"] = {
  messages: [{ role: "user", content: [{ type: "text", text: "Why is the street grid of Phoenix so visible?" }] }],
  targetIndexParams: [{ indexName: "earth_at_night", filterAddOn: "page_number eq '105'" }],
};

const agent: components["schemas"]["Agent_2025_05_01_preview"] = {
  name: "generated-ts",
  description: "Made through generated types.",
  targetIndexes: [{ indexName: "earth_at_night" }],
};

function code(error: components["schemas"]["Error"] | undefined): string {
  return error === undefined ? "none" : error.error.code;
}

async function retrieved(client: typeof asking, name: string) {
  const { data, error, response } = await client.POST("/agents('{name}')/retrieve", {
    params: { path: { name }, query: version },
    body: question,
  });
  const keys: string[] = data?.references.flatMap((reference) => ("docKey" in reference ? [reference.docKey] : [])) ?? [];
  const kinds = data?.activity?.map((record) => (record.type === "AzureSearchQuery" ? record.query.search : record.type));
  return { status: response.status, keys, searches: (kinds ?? []).length, code: code(error) };
}

async function managed() {
  const params = { path: { name: agent.name }, query: version };
  const created = await managing.PUT("/agents/{name}", { params, body: agent });
  const found = await managing.GET("/agents/{name}", { params });
  const again = await managing.PUT("/agents/{name}", {
    params: { ...params, header: { "If-None-Match": "*" } },
    body: agent,
  });
  const deleted = await managing.DELETE("/agents/{name}", { params });
  const missing = await managing.GET("/agents/{name}", { params });
  return {
    statuses: [created, found, again, deleted, missing].map((one) => one.response.status),
    description: found.data?.description,
    tagged: found.data?.["@odata.etag"] === created.data?.["@odata.etag"],
    codes: [code(again.error), code(missing.error)],
  };
}

async function fromWorkspace() {
  const { data, response } = await asking.POST("/llm-{workspaceId}/index/retrieve", {
    params: { path: { workspaceId: "local" }, query: { IndexId: "earth-at-night", Query: "Phoenix", RerankTopN: 2 } },
  });
  return { status: response.status, nodes: data?.Data?.Nodes.length };
}

// What the types refuse; without an error in the next line, tsc stops.
// @ts-expect-error A request has no member of that name.
const unheard: components["schemas"]["RetrieveRequest_2025_05_01_preview"] = { messages: [], question: "?" };
// @ts-expect-error That version is not served.
const unserved: paths["/agents"]["get"]["parameters"]["query"] = { "api-version": "2024-01-01" };
// @ts-expect-error Health has no body to send and no 404.
type Unsaid = paths["/health"]["get"]["responses"][404];

const seen = {
  retrieved: await retrieved(asking, "earth-at-night"),
  missing: await retrieved(asking, "nobody"),
  anonymous: await retrieved(createClient<paths>({ baseUrl }), "earth-at-night"),
  managed: await managed(),
  workspace: await fromWorkspace(),
  refused: code((await asking.GET("/agents", { params: { query: version } })).error),
};
console.log(JSON.stringify(seen));
export { unheard, unserved };
export type { Unsaid };
