/* Makes the requests of a question from the conversation and the settings: for an answer, and for retrieve. */

const LIMITS = {
  threshold: "rerankerThreshold",
  followUps: "maxFollowUps",
  queries: "maxQueries",
  chunks: "maxChunks",
  seconds: "maxRuntimeInSeconds",
  tokens: "maxTokens",
};

const message = ({ role, text }) => ({ role, content: [{ type: "text", text }] });

const messages = ({ before, question }) => [...before, { role: "user", text: question }].map(message);

/** The path and the body of a call for an answer. Settings without a value are left out. */
export function request(run) {
  const { base, settings } = run;
  const body = { messages: messages(run) };
  if (settings.filter) body.filter = settings.filter;
  const limits = Object.entries(LIMITS).filter(([name]) => settings[name]);
  if (limits.length) body.limits = Object.fromEntries(limits.map(([name, member]) => [member, Number(settings[name])]));
  return { path: `agents/${encodeURIComponent(base)}/answer?detail=explained`, body };
}

/** The path and the body of a call of retrieve. Each of `sources`, which are those of the base, has its parameters. The
    effort "minimal" takes no conversation. */
export function retrieval(run, settings, sources) {
  const { effort, version } = settings;
  const asked =
    effort === "minimal" ? { intents: [{ type: "semantic", search: run.question }] } : { messages: messages(run) };
  const body = { ...asked, ...(effort && { retrievalReasoningEffort: { kind: effort } }) };
  if (sources.length) body.knowledgeSourceParams = sources.map((one) => parameters(one, settings));
  return { path: `knowledgebases/${encodeURIComponent(run.base)}/retrieve?api-version=${version}`, body };
}

function parameters({ name, kind }, { threshold, filter, sources }) {
  const chosen = choices(sources).get(name);
  return {
    knowledgeSourceName: name,
    kind,
    includeReferences: true,
    includeReferenceSourceData: true,
    ...(threshold && { rerankerThreshold: Number(threshold) }),
    ...(filter && { filterAddOn: filter }),
    ...(chosen === "always" && { alwaysQuerySource: true }),
    ...(chosen === "never" && { neverQuerySource: true }),
  };
}

/** The sources that are always or never searched, from the text of the setting: `one:always,other:never`. */
export const choices = (text) => new Map((text ?? "").split(",").map((one) => one.split(":")));
