// Reads [{text, told, seat}, ...] from stdin and writes what the page finds out about each of these records.
import { checkFairness } from "../../../src/turnstile/web/static/fair/check.js";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const found = [];
for (const { text, told, seat } of JSON.parse(Buffer.concat(chunks))) found.push(await checkFairness(text, told, seat));
process.stdout.write(JSON.stringify(found));
