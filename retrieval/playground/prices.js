/* What a call costs by the prices of docs/operating/sizing.md, in dollars: the search service's ranker, and a small chat model. */

export const RANKED_QUERY = 1 / 1000;
export const TOKEN_IN = 0.75 / 1e6;
export const TOKEN_OUT = 4.5 / 1e6;

/** The calls and tokens of an answer, and their price; a model whose reply could not be used was paid too. */
export function spent(told) {
  const sum = (name) => told.steps.reduce((total, one) => total + (one[name] ?? 0), 0);
  const [tokensIn, tokensOut] = [sum("tokensIn"), sum("tokensOut")];
  const searches = told.steps.filter((one) => one.search).length;
  const ranked = told.steps.filter((one) => one.search?.ranked).length;
  const calls = told.steps.filter((one) => one.kind === "model" || one.tokensIn > 0).length;
  return { searches, calls, tokensIn, tokensOut, dollars: ranked * RANKED_QUERY + tokensIn * TOKEN_IN + tokensOut * TOKEN_OUT };
}
