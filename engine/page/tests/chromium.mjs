import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** The system's Chromium: nothing is downloaded. */
const FOUND = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));

/** Starts the browser without anything that would call outside. */
export function launch() {
  if (!FOUND) throw new Error("no Chromium found: apt-get install chromium, or set CHROMIUM to its path");
  return chromium.launch({
    executablePath: FOUND,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-default-apps",
      "--disable-sync",
      "--no-first-run",
      "--font-render-hinting=none",
    ],
  });
}

/** Sizes that are looked at. */
export const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** Opens the page as a person with these preferences would. */
export async function openPage(browser, url, { language = "pt", scheme = "light", size = "desktop", path = "/", motion = "reduce" } = {}) {
  const context = await browser.newContext({
    viewport: SIZES[size],
    locale: language === "pt" ? "pt-BR" : "en-GB",
    timezoneId: "America/Belem",
    colorScheme: scheme,
    reducedMotion: motion,
    hasTouch: size === "phone",
  });
  const page = await context.newPage();
  await page.goto(url + path, { waitUntil: "load" });
  await page.waitForSelector("main > *");
  return page;
}

/** Asks in the composer and waits until the answer is whole, or failed. */
export async function askIn(page, question) {
  await page.fill("#question", question);
  await page.press("#question", "Enter");
  await page.waitForSelector(".turn:last-of-type:not([data-state=running])");
}
