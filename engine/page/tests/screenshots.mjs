// Writes demo/screenshots from the built page and the stand-in server: `npm run screenshots`.
// With a folder (`npm run screenshots -- /tmp/shots [WORD]`) every picture there is goes into it, or
// those whose name holds the word: for looking at after a change.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "../mock/server.mjs";
import { askIn, launch, openPage } from "./chromium.mjs";

const [folder, only] = process.argv.slice(2);
const FOLDER = folder ?? join(fileURLToPath(new URL(".", import.meta.url)), "../../../demo/screenshots");

const CHAIN = "Quem precisa assinar o faturamento de um pedido que entrou pelo Sistema Atlas?";
const TWO = "Quanto faturamos em março e em que dias Recife suspende as coletas no Carnaval?";
const SOUTH = "Qual foi a receita total da região Sul no trimestre?";
const NORTH = "Qual foi a receita total da região Norte no trimestre?";

/** A picture: its name, what it is opened with, and what is done before it is taken. */
const SHOTS = [
  ["chat-welcome", {}],
  ["chat-live", { speed: 1 }, async (page) => { await page.fill("#question", TWO); await page.press("#question", "Enter"); await page.waitForTimeout(2500); }],
  ["chat-chain", {}, async (page) => askIn(page, CHAIN)],
  ["chat-chain-found", {}, async (page) => { await askIn(page, CHAIN); await page.locator(".chat-layout > .panel").evaluate((panel) => panel.scrollTo(0, 700)); }],
  ["chat-two-parts", { scheme: "dark" }, async (page) => askIn(page, TWO)],
  ["chat-figure-en", { language: "en" }, async (page) => askIn(page, "How many trucks are based in Recife?")],
  ["chat-table", { scheme: "dark" }, async (page) => { await askIn(page, "Qual a receita de cada região?"); await page.locator(".chat-layout > .panel").evaluate((panel) => panel.scrollTo(0, 760)); }],
  ["chat-cache", {}, async (page) => { await askIn(page, SOUTH); await askIn(page, NORTH); await askIn(page, SOUTH); }],
  ["chat-guard", {}, async (page) => { await askIn(page, SOUTH); await askIn(page, NORTH); }],
  ["chat-error", {}, async (page) => askIn(page, "Qual o desconto médio por cliente?")],
  ["chat-phone", { size: "phone" }, async (page) => askIn(page, CHAIN)],
  ["chat-phone-panel", { size: "phone", scheme: "dark" }, async (page) => { await askIn(page, CHAIN); await page.click(".show-panel"); await page.waitForSelector("dialog .panel-body"); }],
  ["chat-passage", {}, async (page) => { await askIn(page, CHAIN); await page.click(".cite >> nth=0"); await page.waitForSelector(".passage mark"); }],
  ["corpus", { path: "/corpus" }, async (page) => page.waitForSelector(".documents")],
  ["corpus-dark-en", { path: "/corpus", scheme: "dark", language: "en" }, async (page) => page.waitForSelector(".documents")],
  ["corpus-upload", { path: "/corpus" }, async (page) => {
    await page.setInputFiles("input[type=file]", [{ name: "ata_reuniao.docx", mimeType: "application/octet-stream", buffer: Buffer.from("a") }, { name: "instalador.exe", mimeType: "application/octet-stream", buffer: Buffer.from("b") }]);
    await page.waitForSelector(".job[data-state=done]");
  }],
  ["corpus-search", { path: "/corpus" }, async (page) => { await page.fill("input[type=search]", "Sistema Atlas"); await page.waitForSelector(".content-search li"); }],
  ["corpus-table", { path: "/corpus/8" }, async (page) => page.waitForSelector(".columns")],
  ["corpus-chunks", { path: "/corpus/4" }, async (page) => page.waitForSelector(".chunk")],
  ["corpus-empty", { path: "/corpus", empty: true }, async (page) => page.waitForSelector(".empty")],
  ["corpus-phone", { path: "/corpus", size: "phone" }, async (page) => page.waitForSelector(".documents")],
  ["telemetry", { path: "/telemetry" }, async (page) => page.waitForSelector(".traces li")],
  ["telemetry-trace", { path: "/telemetry" }, async (page) => {
    await page.click(".traces a >> nth=1");
    await page.waitForSelector(".span-row");
    await page.click(".span-row >> nth=-1");
    await page.click(".replay .button");
    await page.waitForSelector(".replay table");
  }],
  ["telemetry-compare-dark", { path: "/telemetry", scheme: "dark" }, async (page) => {
    await page.check(".traces input >> nth=0");
    await page.check(".traces input >> nth=1");
    await page.click(".section-head .strong");
    await page.waitForSelector(".differences");
  }],
  ["telemetry-phone-en", { path: "/telemetry", size: "phone", language: "en" }, async (page) => page.waitForSelector(".traces li")],
  ["models", { path: "/models" }, async (page) => { await page.waitForSelector(".role"); await page.click(".role >> nth=0 >> .actions .button >> nth=-1"); await page.waitForSelector(".test-result"); }],
  ["models-dark-en", { path: "/models", scheme: "dark", language: "en" }, async (page) => page.waitForSelector(".role")],
  ["models-phone", { path: "/models", size: "phone" }, async (page) => page.waitForSelector(".role")],
];

/** Those that are kept in the repository. */
const KEPT = new Set([
  "chat-live", "chat-chain", "chat-chain-found", "chat-two-parts", "chat-figure-en", "chat-table", "chat-guard", "chat-phone",
  "chat-phone-panel", "corpus", "corpus-upload", "corpus-table", "telemetry", "telemetry-compare-dark", "models-dark-en",
]);

if (!folder) rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const browser = await launch();
for (const [name, options, prepare] of SHOTS) {
  if (folder ? only && !name.includes(only) : !KEPT.has(name)) continue;
  const server = await start({ speed: options.speed ?? 0, empty: options.empty ?? false });
  const page = await openPage(browser, server.url, options);
  await prepare?.(page);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(150);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.context().close();
  await server.close();
  console.log(name);
}
await browser.close();
