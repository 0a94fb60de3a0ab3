// Reads [{message, key}, ...] (in hexadecimal) from stdin and writes the BLAKE2b, the SHA-256 and the SHA-256 by hand of each.
import { blake2b } from "../../../src/turnstile/web/static/fair/blake2b.js";
import { sha256, sha256ByHand } from "../../../src/turnstile/web/static/fair/sha256.js";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const found = [];
for (const { message, key } of JSON.parse(Buffer.concat(chunks))) {
  const bytes = new Uint8Array(Buffer.from(message, "hex"));
  const hex = (/** @type {Uint8Array} */ digest) => Buffer.from(digest).toString("hex");
  found.push([hex(blake2b(bytes, new Uint8Array(Buffer.from(key, "hex")))), await sha256(bytes), hex(sha256ByHand(bytes))]);
}
process.stdout.write(JSON.stringify(found));
