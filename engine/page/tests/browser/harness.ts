import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { start } from "../../mock/server.mjs";
import { launch, openPage } from "../chromium.mjs";

export { askIn } from "../chromium.mjs";

export type Server = Awaited<ReturnType<typeof start>>;

export interface Opening {
  language?: "pt" | "en";
  scheme?: "light" | "dark";
  size?: "desktop" | "phone";
  path?: string;
  motion?: "reduce" | "no-preference";
  /** Divides every wait of the stand-in server; 0 leaves them out. */
  speed?: number;
  empty?: boolean;
}

/** Errors that a test expects on the console, such as an answer of 404. */
export interface Watched {
  page: Page;
  server: Server;
  expectErrors: (pattern: RegExp) => void;
}

/**
 * Gives every test a page over a server of its own. After each test the page must not have thrown,
 * broken the server's policy, or asked for anything from elsewhere.
 */
export function withPages(): (opening?: Opening) => Promise<Watched> {
  let browser: Browser;
  const closing: (() => Promise<unknown>)[] = [];
  const faults: string[] = [];
  const allowed: RegExp[] = [];
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    const left = faults.splice(0).filter((fault) => !allowed.some((pattern) => pattern.test(fault)));
    allowed.splice(0);
    expect(left).toEqual([]);
  });
  return async (opening = {}) => {
    const server = await start({ speed: opening.speed ?? 0, empty: opening.empty ?? false });
    closing.push(server.close);
    const page: Page = await openPage(browser, server.url, opening);
    closing.push(() => page.context().close());
    page.setDefaultTimeout(8000);
    page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== server.url) faults.push(`outside: ${request.url()}`);
    });
    return { page, server, expectErrors: (pattern) => allowed.push(pattern) };
  };
}

/** The text of everything that matches, in the order of the page. */
export const textsOf = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allInnerTexts();
