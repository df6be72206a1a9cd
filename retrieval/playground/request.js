/* Makes the request of a question from the conversation and the settings. */

const LIMITS = {
  threshold: "rerankerThreshold",
  followUps: "maxFollowUps",
  queries: "maxQueries",
  chunks: "maxChunks",
  seconds: "maxRuntimeInSeconds",
  tokens: "maxTokens",
};

const message = ({ role, text }) => ({ role, content: [{ type: "text", text }] });

/** The path and the body. `before` are the earlier turns. Settings without a value are left out. */
export function request({ base, question, before, settings }) {
  const body = { messages: [...before, { role: "user", text: question }].map(message) };
  if (settings.filter) body.filter = settings.filter;
  const limits = Object.entries(LIMITS).filter(([name]) => settings[name] !== "");
  if (limits.length) body.limits = Object.fromEntries(limits.map(([name, member]) => [member, Number(settings[name])]));
  return { path: `agents/${encodeURIComponent(base)}/answer?detail=explained`, body };
}
