import { describe, expect, it } from "vitest";
import { askIn, textsOf, withPages } from "./harness";

const open = withPages();

describe("telemetry", () => {
  it("shows the time of every step and every trace, in both languages", async () => {
    for (const [language, title] of [["pt", "Telemetria"], ["en", "Telemetry"]] as const) {
      const { page } = await open({ language, path: "/telemetry" });
      await page.waitForSelector(".traces li");
      expect(await page.innerText("h1")).toBe(title);
      expect(await page.locator(".traces li").count()).toBe(7);
      const router = page.locator(".latency tr", { hasText: "pipeline.router" });
      expect(await router.innerText()).toMatch(/0[.,]03 ms/);
    }
  });

  it("filters by words, by step and by time", async () => {
    const { page } = await open({ path: "/telemetry" });
    await page.fill(".filters input[type=search]", "receita");
    await page.waitForFunction(() => document.querySelectorAll(".traces li").length === 3);
    await page.fill(".filters input[type=search]", "");
    await page.selectOption(".filters select", "store.graph");
    await page.waitForFunction(() => document.querySelectorAll(".traces li").length === 1);
    await page.fill(".least input", "5000");
    await page.waitForSelector(".traces", { state: "detached" });
    await page.click(".filters .button");
    await page.waitForFunction(() => document.querySelectorAll(".traces li").length === 7);
  });

  it("shows a step's attributes and replays the decision", async () => {
    const { page } = await open({ path: "/telemetry" });
    await page.click(".traces a >> nth=1");
    await page.click(".span-row >> text=answer");
    expect(await page.innerText(".trace-columns .card")).toContain("gen_ai.usage.output_tokens");
    await page.click(".replay .button");
    await page.waitForSelector(".replay table");
    expect(await textsOf(page, ".replay tbody th")).toEqual(["Guardada", "Refeita", "Hoje"]);
    expect(await page.locator(".replay .test-result").getAttribute("data-ok")).toBe("true");
  });

  it("compares two traces on one axis", async () => {
    const { page } = await open({ path: "/telemetry" });
    await page.check(".traces input >> nth=0");
    await page.check(".traces input >> nth=1");
    await page.click(".section-head .strong");
    await page.waitForSelector(".differences");
    expect(await page.locator(".waterfall").count()).toBe(2);
    expect(await page.innerText(".differences tr >> nth=1")).toContain("−1,89 s");
    const ends = await page.locator(".waterfall").evaluateAll((both) => both.map((one) => one.querySelectorAll(".axis-track > span").length));
    expect(ends[0]).toBe(ends[1]);
  });

  it("adds a trace when a question was answered elsewhere", async () => {
    const { page } = await open({ path: "/telemetry" });
    await page.waitForSelector(".traces li");
    const other = await page.context().newPage();
    await other.goto(new URL("/", page.url()).href);
    await askIn(other, "Who reads this?");
    await page.waitForFunction(() => document.querySelectorAll(".traces li").length === 8);
  });
});

describe("models", () => {
  it("show where they run, their memory and their speed, in both languages", async () => {
    for (const [language, expected] of [["pt", ["Vetorizador", "9,6 tokens/s", "1,4 GB"]], ["en", ["Embedder", "9.6 tokens/s", "1.4 GB"]]] as const) {
      const { page } = await open({ language, path: "/models" });
      await page.waitForSelector(".role");
      const text = await page.innerText("main");
      for (const word of expected) expect(text).toContain(word);
    }
  });

  it("are put to sleep, loaded and tested", async () => {
    const { page } = await open({ path: "/models" });
    const role = page.locator(".role").nth(1);
    await role.locator(".actions .button").nth(0).click();
    await page.waitForFunction(() => document.querySelectorAll(".role")[1]?.getAttribute("data-state") === "sleeping");
    expect(await role.innerText()).not.toContain("1,4 GB");
    await role.locator(".actions .strong").click();
    await page.waitForFunction(() => document.querySelectorAll(".role")[1]?.getAttribute("data-state") === "loaded");
    await page.locator(".role").nth(0).locator(".actions .button").nth(1).click();
    await page.waitForSelector(".test-result[data-ok=true]");
    expect(await page.innerText(".test-result")).toContain("0,9998");
  });

  it("that are missing say how to get them", async () => {
    const { page, server } = await open({ path: "/" });
    Object.assign(server.state.models.roles[1], { state: "missing", error: { type: "urn:polyrag:error:model", title: "no generate model", status: 503, detail: "the file is missing", hint: "polyrag models fetch" } });
    await page.click("nav a >> nth=3");
    await page.waitForSelector(".role .problem");
    expect(await page.innerText(".role .problem")).toContain("polyrag models fetch");
    expect(await page.locator(".role").nth(1).locator(".actions .button").nth(0).isDisabled()).toBe(true);
  });
});
