import { describe, expect, it } from "vitest";
import { askIn, withPages } from "./harness";

const open = withPages();
const VIEWS = ["/", "/corpus", "/corpus/4", "/corpus/8", "/telemetry", "/models"];
const CHAIN = "Quem precisa assinar o faturamento de um pedido que entrou pelo Sistema Atlas?";

describe("the page", () => {
  it("paints first within a second", async () => {
    const { page } = await open();
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    expect(paint).toBeGreaterThan(0);
    expect(paint).toBeLessThan(1000);
  });

  it("speaks the browser's language until another is chosen, and remembers that", async () => {
    const { page } = await open({ language: "pt" });
    expect(await page.getAttribute("html", "lang")).toBe("pt");
    expect(await page.title()).toBe("Conversa · PolyRAG");
    await page.click(".top .segments button >> text=EN");
    expect(await page.innerText("nav")).toContain("Telemetry");
    await page.reload();
    expect(await page.getAttribute("html", "lang")).toBe("en");
    expect(await page.title()).toBe("Chat · PolyRAG");
  });

  it("is light or dark as the system is, until a choice, and remembers that before it paints", async () => {
    const { page, expectErrors } = await open({ scheme: "dark" });
    expectErrors(/ERR_FAILED/);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.click(".top .segments >> nth=1 >> button >> nth=1");
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.reload();
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("light");
    expect(await ground()).toBe(light);
  }, 20_000);

  it("fits a phone in every view: nothing is wider than the screen", async () => {
    for (const path of VIEWS) {
      const { page } = await open({ path, size: "phone" });
      await page.waitForTimeout(300);
      if (path === "/") await askIn(page, CHAIN);
      const wide = await page.evaluate(() => [document.documentElement, document.querySelector("main")!].map((box) => box.scrollWidth - box.clientWidth));
      expect(wide, path).toEqual([0, 0]);
      const outside = await page.evaluate(() =>
        [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".table-box, .unseen, pre")).map((one) => one.className),
      );
      expect(outside, path).toEqual([]);
    }
  });

  it("on a phone opens the panel over the answer", async () => {
    const { page } = await open({ size: "phone" });
    await askIn(page, CHAIN);
    expect(await page.locator(".chat-layout > .panel").isVisible()).toBe(false);
    await page.click(".show-panel");
    await page.waitForSelector("dialog .scores");
    await page.click("dialog header .button");
    await page.waitForSelector("dialog", { state: "detached" });
  });
});

describe("the keyboard alone", () => {
  it("reaches the content, the views, the question and a source", async () => {
    const { page } = await open({ path: "/models" });
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("skip");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.focus("nav a");
    await page.keyboard.press("Enter");
    await page.focus("#question");
    await page.keyboard.type("Linha um");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("linha dois");
    expect(await page.inputValue("#question")).toBe("Linha um\nlinha dois");
    await page.fill("#question", CHAIN);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".turn[data-state=done]");
    await page.focus(".turns");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("cite");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog mark");
  });

  it("is always seen to be somewhere", async () => {
    const { page } = await open({ path: "/models" });
    await page.waitForSelector(".role");
    for (let step = 0; step < 16; step += 1) {
      await page.keyboard.press("Tab");
      const seen = await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement!);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
      });
      expect(seen, `stop ${step}`).toBe(true);
    }
  });
});

describe("a screen reader", () => {
  it("is told when an answer is whole, once, and not every word", async () => {
    const { page } = await open();
    expect(await page.getAttribute(".turns", "aria-live")).toBe("off");
    await askIn(page, CHAIN);
    expect(await page.innerText(".turns > [role=status]")).toContain("Diretoria de Operações");
  });
});
