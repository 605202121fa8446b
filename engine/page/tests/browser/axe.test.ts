import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { askIn, type Opening, withPages } from "./harness";

const open = withPages();
const CHAIN = "Quem precisa assinar o faturamento de um pedido que entrou pelo Sistema Atlas?";
const TWO = "Quanto faturamos em março e em que dias Recife suspende as coletas no Carnaval?";

/** What is looked at, beside the plain views: answers of every kind, dialogs, problems. */
const PLACES: [string, string, (page: Page) => Promise<unknown>][] = [
  ["welcome", "/", (page) => page.waitForSelector(".welcome")],
  ["graph", "/", async (page) => { await askIn(page, CHAIN); await openDetails(page); }],
  ["two parts", "/", (page) => askIn(page, TWO)],
  ["rows", "/", (page) => askIn(page, "Qual a receita de cada região?")],
  ["cache", "/", async (page) => { await askIn(page, CHAIN); await askIn(page, CHAIN); }],
  ["problem", "/", (page) => askIn(page, "Qual o desconto médio por cliente?")],
  ["passage", "/", async (page) => { await askIn(page, CHAIN); await page.click(".cite >> nth=0"); await page.waitForSelector("dialog mark"); }],
  ["corpus", "/corpus", (page) => page.waitForSelector(".documents")],
  ["search", "/corpus", async (page) => { await page.fill("input[type=search]", "Sistema"); await page.waitForSelector(".content-search li"); }],
  ["table", "/corpus/8", (page) => page.waitForSelector(".columns")],
  ["chunks", "/corpus/4", (page) => page.waitForSelector(".chunk")],
  ["question", "/corpus/4", async (page) => { await page.click(".page-head .danger"); await page.waitForSelector("dialog"); }],
  ["telemetry", "/telemetry", (page) => page.waitForSelector(".traces li")],
  ["trace", "/telemetry", async (page) => { await page.click(".traces a >> nth=0"); await page.click(".span-row >> nth=3"); await page.click(".replay .button"); await page.waitForSelector(".replay table"); }],
  ["models", "/models", (page) => page.waitForSelector(".role")],
];

async function openDetails(page: Page) {
  for (const details of await page.locator(".chat-layout > .panel details").all()) await details.evaluate((one) => one.setAttribute("open", ""));
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run({ resultTypes: ["violations"] }));
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
}

describe.each([
  { scheme: "light", language: "pt", size: "desktop" },
  { scheme: "dark", language: "en", size: "desktop" },
  { scheme: "dark", language: "pt", size: "phone" },
] satisfies Opening[])("axe finds nothing in $scheme, $language, $size", (opening) => {
  it.each(PLACES)("%s", async (_, path, prepare) => {
    const { page } = await open({ ...opening, path });
    await prepare(page);
    expect(await violations(page)).toEqual([]);
  });
});
