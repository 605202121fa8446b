import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function files(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const relative = names.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return Object.fromEntries(relative.map((name) => [name.slice(folder.length + 1), readFileSync(name).toString("base64")]));
}

it("the committed bundle is what the sources build to (else: npm run build)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "polyrag-page-"));
  try {
    // vitest sets NODE_ENV to "test", which would build other code.
    process.env["NODE_ENV"] = "production";
    await build({ root: ROOT, logLevel: "silent", build: { outDir: folder, emptyOutDir: true } });
    const [fresh, committed] = [files(folder), files(join(ROOT, "dist"))];
    expect(Object.keys(committed)).toEqual(Object.keys(fresh));
    for (const [name, content] of Object.entries(fresh)) expect(committed[name] === content, name).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the bundle is small and names no other host", () => {
  const committed = files(join(ROOT, "dist"));
  const bytes = Object.values(committed).reduce((sum, content) => sum + (content.length * 3) / 4, 0);
  expect(bytes).toBeLessThan(400_000);
  for (const [name, content] of Object.entries(committed)) {
    const text = Buffer.from(content, "base64").toString("latin1");
    // Names of XML vocabularies are no addresses.
    const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1]).filter((host) => host !== "www.w3.org");
    if (!name.endsWith(".woff2")) expect(hosts, name).toEqual([]);
  }
});
