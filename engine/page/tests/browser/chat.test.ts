import { describe, expect, it } from "vitest";
import { askIn, textsOf, withPages } from "./harness";

const SOUTH = "Qual foi a receita total da região Sul no trimestre?";
const NORTH = "Qual foi a receita total da região Norte no trimestre?";
const CHAIN = "Quem precisa assinar o faturamento de um pedido que entrou pelo Sistema Atlas?";
const TWO = "Quanto faturamos em março e em que dias Recife suspende as coletas no Carnaval?";
const PANEL = ".chat-layout > .panel";

const open = withPages();

describe("an answer", () => {
  it("comes with its sources, its route and every number of the decision, in both languages", async () => {
    const words = { pt: ["Tabelas", "Evidência", "Margem pelas frases"], en: ["Tables", "Evidence", "Margin by the phrases"] };
    for (const language of ["pt", "en"] as const) {
      const { page } = await open({ language });
      await askIn(page, SOUTH);
      expect(await page.innerText(".answer")).toContain("R$ 2.129.224,40");
      expect(await page.innerText(".sources")).toContain("vendas_2026_q1.csv");
      const panel = await page.innerText(PANEL);
      for (const word of words[language]) expect(panel).toContain(word);
      const scores = await textsOf(page, `${PANEL} .scores .number`);
      expect(scores).toHaveLength(3);
      expect(scores).toEqual([...scores].sort().reverse());
    }
  });

  it("is decided before it is written, and its time grows while it is", async () => {
    const { page } = await open({ speed: 1, motion: "no-preference" });
    await page.fill("#question", CHAIN);
    await page.press("#question", "Enter");
    await page.waitForSelector(`${PANEL} .scores`);
    expect(await page.locator(".turn").getAttribute("data-state")).toBe("running");
    const running = page.locator(`${PANEL} .span-row`, { has: page.locator("[data-running=true]") }).last().locator(".number");
    const first = await running.innerText();
    await page.waitForTimeout(400);
    expect(await running.innerText()).not.toBe(first);
    expect(await page.innerText(".now")).not.toBe("");
    await page.waitForFunction(() => (document.querySelector(".answer")?.textContent?.length ?? 0) > 30);
    expect(await page.locator(".turn").getAttribute("data-state")).toBe("running");
    await page.waitForSelector(".turn[data-state=done]");
    expect(await page.locator("[data-running=true]").count()).toBe(0);
  });

  it("shows retrieval in milliseconds beside the model's seconds", async () => {
    const { page } = await open();
    await askIn(page, CHAIN);
    const rows = await textsOf(page, `${PANEL} .span-row`);
    expect(rows.find((row) => row.startsWith("graph"))).toMatch(/0,94 ms$/);
    expect(rows.find((row) => row.startsWith("answer"))).toMatch(/ s$/);
    await page.click(`${PANEL} .waterfall .segments button >> nth=1`);
    const width = (name: string) => page.locator(`${PANEL} .span-row`, { hasText: name }).locator("i").evaluate((bar) => bar.getBoundingClientRect().width);
    expect(await width("graph")).toBeGreaterThan(40);
    expect(await width("answer")).toBeGreaterThan(await width("graph"));
  });

  it("to two questions shows both decisions side by side", async () => {
    const { page } = await open();
    await askIn(page, TWO);
    const cards = page.locator(`${PANEL} section`).nth(1).locator(".card");
    expect(await cards.count()).toBe(2);
    const [left, right] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
    expect(right!.x).toBeGreaterThan(left!.x + left!.width - 1);
    expect(await textsOf(page, `${PANEL} .outcome .store-chip`)).toEqual(["Tabelas", "Texto"]);
  });

  it("opens a citation in its document, holds the focus there and gives it back", async () => {
    const { page } = await open();
    await askIn(page, CHAIN);
    await page.click(".cite >> nth=0");
    await page.waitForSelector("dialog[open] mark");
    expect(await page.innerText("dialog mark")).toContain("duas assinaturas");
    expect(await page.locator("dialog .around").count()).toBe(2);
    expect(await page.evaluate(() => document.querySelector("dialog")?.contains(document.activeElement))).toBe(true);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("cite");
  });

  it("by a query leads from its citation to the query", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    await page.click(".cite");
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-query") === "0");
    expect(await page.innerText(`${PANEL} .sql`)).toContain("SELECT SUM(receita)");
    expect(await page.innerText(`${PANEL} .one-value-number`)).toBe("2.129.224,40");
  });

  it("draws the way through the graph", async () => {
    const { page } = await open();
    await askIn(page, CHAIN);
    const labels = await textsOf(page, `${PANEL} .graph-label`);
    expect(labels.slice(0, 3)).toEqual(["Sistema Atlas", "região Norte", "Política PC-09"]);
    expect(await page.locator(`${PANEL} .graph-edge`).count()).toBe(8);
    const widths = await page.locator(`${PANEL} .graph-edge`).evaluateAll((edges) => edges.map((edge) => Number(edge.getAttribute("stroke-width"))));
    expect(Math.max(...widths)).toBe(4.5);
    expect(Math.min(...widths)).toBeLessThan(2.5);
  });

  it("with rows sorts them by any column and draws them", async () => {
    const { page } = await open();
    await askIn(page, "Qual a receita de cada região?");
    const first = () => page.innerText(`${PANEL} tbody tr >> nth=0`);
    expect(await first()).toContain("Sudeste");
    expect(await page.locator(`${PANEL} .bar-row`).count()).toBe(5);
    const name = page.locator(`${PANEL} thead th`).nth(0);
    await name.locator("button").click();
    expect(await name.getAttribute("aria-sort")).toBe("ascending");
    expect(await first()).toContain("Centro-Oeste");
    await name.locator("button").click();
    expect(await first()).toContain("Sul");
    await name.locator("button").click();
    expect(await name.getAttribute("aria-sort")).toBe("none");
    expect(await first()).toContain("Sudeste");
  });
});

describe("the cache", () => {
  it("serves the same question, and says how near it was", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    await askIn(page, SOUTH);
    expect(await page.locator(`${PANEL} .cache-line`).getAttribute("data-hit")).toBe("true");
    expect(await page.innerText(`${PANEL} .verdict`)).toContain("1,000");
    expect(await page.innerText(".turn:last-of-type .turn-foot")).toContain("Resposta guardada");
  });

  it("does not serve another name, and says which", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    await askIn(page, NORTH);
    expect(await page.locator(`${PANEL} .cache-line`).getAttribute("data-hit")).toBe("false");
    expect(await page.innerText(`${PANEL} .reasons`)).toMatch(/nomes diferentes\s*sul\s*≠\s*norte/);
  });

  it("forgets an answer that a person calls wrong, and asks anew", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    await askIn(page, SOUTH);
    await page.click(`${PANEL} .cache-line .button`);
    await page.waitForSelector(`${PANEL} .cache-line[data-hit=false]`);
    await page.waitForSelector(".turn:last-of-type[data-state=done]");
    expect(await page.locator(".turn").count()).toBe(2);
  });
});

describe("a conversation", () => {
  it("shows what a follow-up was understood as", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    await askIn(page, "E da Norte?");
    expect(await page.innerText(".turn:last-of-type .understood")).toContain(NORTH);
  });

  it("has an address, is listed, and can be deleted", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    expect(new URL(page.url()).pathname).toBe("/chat/c1");
    await page.reload();
    await page.waitForSelector(".answer");
    expect(await page.innerText(".question")).toContain(SOUTH);
    await page.click(".conversations .new");
    await page.waitForSelector(".welcome");
    await page.goBack();
    await page.waitForSelector(".answer");
    await page.click(".conversation-list .button");
    await page.click("dialog .danger");
    await page.waitForSelector(".welcome");
    await page.waitForFunction(() => document.querySelectorAll(".conversation-list li").length === 0);
  });

  it("can be stopped: nothing goes on, nothing is kept", async () => {
    const { page, server } = await open({ speed: 1 });
    await page.fill("#question", CHAIN);
    await page.press("#question", "Enter");
    await page.waitForSelector(".answer");
    await page.press("#question", "Escape");
    await page.waitForSelector(".turn[data-state=stopped]");
    const shown = await page.innerText(".answer");
    await page.waitForFunction(() => document.querySelector("[data-running=true]") === null);
    await expect.poll(() => server.state.running.size, { timeout: 8000 }).toBe(0);
    expect(await page.innerText(".answer")).toBe(shown);
    expect(server.state.conversations[0].turns).toEqual([]);
  });

  it("goes on while another view is open", async () => {
    const { page } = await open({ speed: 4 });
    await page.fill("#question", CHAIN);
    await page.press("#question", "Enter");
    await page.waitForSelector(`${PANEL} .scores`);
    await page.click("nav a >> nth=1");
    await page.waitForSelector(".documents");
    await page.goBack();
    await page.waitForSelector(".turn[data-state=done] .cite");
  });
});

describe("what goes wrong", () => {
  it("is said with the way out, and can be tried again", async () => {
    const { page } = await open();
    await askIn(page, "Qual o desconto médio por cliente?");
    expect(await page.innerText(".problem")).toContain("models.context_tokens");
    expect(await page.locator(".turn .button", { hasText: "Tentar de novo" }).count()).toBe(1);
  });

  it("is said also when the server is gone", async () => {
    const { page, server, expectErrors } = await open({ language: "en" });
    expectErrors(/ERR_|Failed to load/);
    await server.close();
    await askIn(page, SOUTH);
    expect(await page.innerText(".problem")).toContain("polyrag serve");
    await page.waitForSelector(".lost");
  });

  it("in a file stays text: nothing runs, nothing is fetched", async () => {
    const { page } = await open();
    await askIn(page, "O que deu origem ao projeto do Sistema Atlas?");
    const item = page.locator(`${PANEL} .passages li`, { hasText: "fornecedor_externo.html" });
    expect(await item.locator(".note").count()).toBe(1);
    await item.locator("button").click();
    await page.waitForSelector("dialog mark");
    expect(await page.innerText("dialog mark")).toContain("<img src=");
    expect(await page.locator("dialog mark img, dialog mark b").count()).toBe(0);
    expect(await page.innerText("dialog .note")).toContain("instruções");
    expect(await page.title()).not.toContain("owned");
  });
});

describe("sharing", () => {
  it("saves the whole trace as JSON", async () => {
    const { page } = await open();
    await askIn(page, SOUTH);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".turn-foot .button:last-of-type")]);
    expect(download.suggestedFilename()).toMatch(/^polyrag-[0-9a-f]{16}\.json$/);
    const pieces: Buffer[] = [];
    for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
    const trace = JSON.parse(String(Buffer.concat(pieces)));
    expect(trace).toMatchObject({ question: SOUTH, routes: ["relational"] });
    expect(trace.spans.length).toBeGreaterThan(5);
  });

  it("copies the answer and the trace", async () => {
    const { page } = await open();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await askIn(page, SOUTH);
    await page.click(".turn-foot .button >> text=Copiar");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("R$ 2.129.224,40");
    await page.click(".panel-head .button");
    await page.waitForSelector(".panel-head >> text=Copiado");
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toMatchObject({ question: SOUTH });
  });
});
