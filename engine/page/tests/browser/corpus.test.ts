import { describe, expect, it } from "vitest";
import { textsOf, withPages } from "./harness";

const open = withPages();
const file = (name: string) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from("content") });

describe("the corpus", () => {
  it("lists documents, where their chunks went, and what could not be read, in both languages", async () => {
    for (const [language, title, way] of [["pt", "Acervo", "3 tentativas"], ["en", "Corpus", "tried 3 times"]] as const) {
      const { page } = await open({ language, path: "/corpus" });
      await page.waitForSelector(".documents");
      expect(await page.innerText("h1")).toBe(title);
      expect(await page.locator(".documents tbody tr").count()).toBe(12);
      expect(await page.innerText(".failures")).toContain("Save it without a password");
      expect(await page.innerText(".failures")).toContain(way);
    }
  });

  it("says what to do when it is empty", async () => {
    const { page } = await open({ path: "/corpus", empty: true });
    await page.waitForSelector(".empty");
    expect(await page.innerText(".empty")).toContain("polyrag add");
    await page.click("nav a >> nth=0");
    await page.click(".empty .button");
    await page.waitForSelector(".drop-zone");
  });

  it("takes files in, by file and by stage, and says what failed", async () => {
    const { page } = await open({ path: "/corpus", speed: 1 });
    await page.setInputFiles("input[type=file]", [file("ata.docx"), file("instalador.exe")]);
    await page.waitForSelector(".job[data-state=running] .job-now b");
    expect(await page.innerText(".job-now")).toMatch(/ata\.docx (em leitura|em vetorização|extração de fatos)/);
    await page.waitForSelector(".job[data-state=done]");
    expect(await textsOf(page, ".job-documents li b")).toEqual(["…/uploads/ata.docx", "…/uploads/instalador.exe"]);
    expect(await page.innerText(".job-error")).toBe("this format is not read");
    await page.waitForSelector(".documents >> text=ata.docx");
    await page.click(".job header .button");
    expect(await page.locator(".job").count()).toBe(0);
  });

  it("takes files that are dropped anywhere on the page", async () => {
    const { page } = await open({ path: "/corpus" });
    await page.waitForSelector(".documents");
    await page.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["x"], "solto.md"));
      for (const type of ["dragover", "drop"]) document.querySelector(".documents")?.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await page.waitForSelector(".job[data-state=done] >> text=solto.md");
  });

  it("shows the reason when an upload is refused", async () => {
    const { page, expectErrors } = await open({ path: "/corpus" });
    expectErrors(/400/);
    await page.setInputFiles("input[type=file]", [file(".oculto")]);
    await page.waitForSelector(".job .problem");
    expect(await page.innerText(".job .problem")).toContain("Rename the file");
  });

  it("stops a job", async () => {
    const { page } = await open({ path: "/corpus", speed: 1 });
    await page.setInputFiles("input[type=file]", [file("a.md"), file("b.md")]);
    await page.click(".job[data-state=running] header .button");
    await page.waitForSelector(".job[data-state=cancelled]");
  });

  it("finds names without accents, and passages by their words", async () => {
    const { page } = await open({ path: "/corpus" });
    await page.fill("input[type=search]", "POLITICAS");
    await page.waitForFunction(() => document.querySelectorAll(".documents tbody tr").length === 1);
    await page.fill("input[type=search]", "Sistema Boreal");
    await page.waitForSelector(".content-search li");
    await page.click(".content-search li button >> nth=0");
    await page.waitForSelector("dialog mark");
  });
});

describe("a document", () => {
  it("shows its columns with the reason for each type", async () => {
    const { page } = await open({ path: "/corpus/8" });
    await page.waitForSelector(".columns");
    const code = await page.innerText(".columns tbody tr >> nth=0");
    expect(code).toContain("codigo");
    expect(code).toContain("leading zeros");
    expect(await page.innerText("main")).toContain("Linha 9");
  });

  it("shows where every chunk went with the scores of both stores", async () => {
    const { page } = await open({ path: "/corpus/4", language: "en" });
    await page.waitForSelector(".chunk");
    const chunks = await textsOf(page, ".chunk");
    expect(chunks).toHaveLength(7);
    expect(await page.locator(".chunk-numbers").first().locator(".store-mark").count()).toBe(2);
    const both = page.locator(".chunk", { has: page.locator(".tag") });
    expect(await both.count()).toBeGreaterThan(0);
    for (const chunk of await both.all()) expect(await chunk.locator("header .store-chip").count()).toBe(2);
  });

  it("is read again on request", async () => {
    const { page } = await open({ path: "/corpus/4" });
    await page.click(".page-head .button >> nth=0");
    await page.waitForSelector(".job[data-state=done]");
  });

  it("is deleted after a question, and only then", async () => {
    const { page, server } = await open({ path: "/corpus/4" });
    await page.click(".page-head .danger");
    expect(await page.innerText("dialog")).toContain("O seu arquivo fica onde está");
    await page.click("dialog .actions .button >> nth=0");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(server.state.documents).toHaveLength(12);
    await page.click(".page-head .danger");
    await page.click("dialog .danger");
    await page.waitForSelector(".documents");
    await page.waitForFunction(() => document.querySelectorAll(".documents tbody tr").length === 11);
    expect(server.state.documents).toHaveLength(11);
  });

  it("that is gone says so", async () => {
    const { page, expectErrors } = await open({ path: "/corpus/999" });
    expectErrors(/404/);
    await page.waitForSelector(".problem");
    expect(await page.innerText(".problem")).toContain("may have been deleted");
  });
});
