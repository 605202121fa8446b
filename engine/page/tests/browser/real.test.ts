import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askIn, launch, openPage } from "../chromium.mjs";

/** The executable to test against, with the starter models: `POLYRAG=path npm test`. Without it these are skipped. */
const POLYRAG = process.env["POLYRAG"];
const CORPUS = fileURLToPath(new URL("../../../../demo/corpus/", import.meta.url));
const FILES = ["historia_meridiano.md", "dependencias_sistemas.md", "frota_2026.csv"];

describe.skipIf(!POLYRAG)("the real server", () => {
  let browser: Browser;
  let server: ChildProcess;
  let url = "";
  const data = mkdtempSync(join(tmpdir(), "polyrag-real-"));
  const faults: string[] = [];

  beforeAll(async () => {
    const added = spawnSync(POLYRAG!, ["--data", data, "add", "--fast", ...FILES.map((name) => CORPUS + name)], { encoding: "utf8" });
    expect(added.status, added.stderr).toBe(0);
    server = spawn(POLYRAG!, ["--data", data, "serve", "--port", "0"]);
    url = await new Promise((resolve, reject) => {
      let said = "";
      const hear = (piece: Buffer) => {
        said += String(piece);
        const found = /http:\/\/[\w.:[\]]+/.exec(said)?.[0];
        if (found) resolve(found);
      };
      server.stderr?.on("data", hear);
      server.stdout?.on("data", hear);
      server.on("exit", () => reject(new Error(`serve ended: ${said}`)));
    });
    browser = await launch();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    server?.kill("SIGINT");
    rmSync(data, { recursive: true, force: true });
  });

  async function open(path: string): Promise<Page> {
    const page: Page = await openPage(browser, url, { path });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    return page;
  }

  it("answers in the page with every number of the decision", async () => {
    const page = await open("/");
    page.setDefaultTimeout(110_000);
    await askIn(page, "O que deu origem ao projeto do Sistema Atlas?");
    expect(await page.locator(".turn").getAttribute("data-state")).toBe("done");
    expect((await page.innerText(".answer")).length).toBeGreaterThan(20);
    expect(await page.locator(".chat-layout > .panel .scores > div").count()).toBeGreaterThan(1);
    expect(await page.innerText(".waterfall")).toContain("router");
    await page.click(".cite >> nth=0");
    await page.waitForSelector("dialog mark");
  }, 120_000);

  it("lists its documents with their chunks and columns", async () => {
    const page = await open("/corpus");
    await page.waitForSelector(".documents");
    expect(await page.locator(".documents tbody tr").count()).toBe(FILES.length);
    await page.click(".documents a >> text=frota_2026.csv");
    await page.waitForSelector(".columns >> text=codigo");
  });

  it("takes a file in", async () => {
    const page = await open("/corpus");
    await page.setInputFiles("input[type=file]", join(CORPUS, "aviso_carnaval_2026.txt"));
    await page.waitForSelector(".job[data-state=done]", { timeout: 60_000 });
    await page.waitForSelector(".documents >> text=aviso_carnaval_2026.txt");
  }, 70_000);

  it("keeps the trace, replays it, and names its models", async () => {
    const page = await open("/telemetry");
    await page.click(".traces a >> nth=0");
    await page.click(".replay .button");
    await page.waitForSelector(".replay .test-result[data-ok=true]", { timeout: 30_000 });
    await page.click("nav a >> nth=3");
    await page.waitForSelector(".role");
    expect(await page.locator(".role").count()).toBe(3);
  }, 60_000);

  it("breaks no rule of its own policy on the way", () => {
    expect(faults).toEqual([]);
  });
});
