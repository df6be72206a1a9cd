// Reads {"schema": {table: "(a: string, ...)"}, "queries": [text]} from stdin, writes what Kusto's language service finds wrong with each.
import { createRequire } from "node:module";

const folder = process.argv[2];
const require = createRequire(`${folder}/`);
globalThis.window = globalThis;
require(`${folder}/bridge.min.js`);
require(`${folder}/Kusto.Language.Bridge.min.js`);
const { GlobalState, KustoCode, Symbols } = globalThis.Kusto.Language;

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { schema, queries } = JSON.parse(text);
const tables = Object.entries(schema).map(([name, columns]) => new Symbols.TableSymbol.$ctor7(name, columns, null));
const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor("workspace", tables));
const found = queries.map((query) => {
  const diagnostics = KustoCode.ParseAndAnalyze(query, globals).GetDiagnostics();
  return Array.from({ length: diagnostics.Count }, (_, place) => diagnostics.getItem(place)).map(
    (one) => `${one.Severity}: ${one.Message} (${query.slice(one.Start, one.Start + one.Length)})`,
  );
});
process.stdout.write(JSON.stringify(found));
