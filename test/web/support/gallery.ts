import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";
import { buildWeb } from "../../../src/dev/web/build.ts";
import { CHROMIUM, TIMEOUT_MS } from "./browser.ts";

export type Look = { colorScheme: "light" | "dark"; language: "en" | "el"; width: number };
export type Box = { x: number; y: number; width: number; height: number };
/** A picture of the gallery, and the boxes of its specimens by name. */
export type Shot = { image: PNG; boxes: Record<string, Box> };

/** The looks of the golden images: every pair of theme and language, of theme and width, and of language and width. */
export const LOOKS: Look[] = [
  { colorScheme: "light", language: "en", width: 1440 },
  { colorScheme: "light", language: "el", width: 375 },
  { colorScheme: "dark", language: "en", width: 375 },
  { colorScheme: "dark", language: "el", width: 1440 },
];

/** Runs in the page: returns the boxes of the specimens. */
const BOXES = `Object.fromEntries([...document.querySelectorAll("[data-specimen]")].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const box = { x, y: y + scrollY, width, height };
  return [element.dataset.specimen, Object.fromEntries(Object.entries(box).map(([key, value]) => [key, Math.round(value)]))];
}))`;

/**
 * Starts a server and a browser for the gallery.
 * @param args further arguments of Chromium
 */
export async function openGallery(args: string[] = []) {
  const folder = join(await mkdtemp(join(tmpdir(), "gallery-")), "web");
  await buildWeb({ folder, page: "gallery.html", compress: false });
  const page = (await Bun.file(join(folder, "gallery.html")).text()).replaceAll("{{base}}", "");
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/") return new Response(page, { headers: { "content-type": "text/html" } });
      const file = Bun.file(join(folder, pathname));
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
    },
  });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", ...args],
    timeout: TIMEOUT_MS,
  });
  return {
    /** Takes a picture of the gallery. */
    async shoot({ colorScheme, language, width }: Look): Promise<Shot> {
      const context = await browser.newContext({
        locale: language === "el" ? "el-GR" : "en-GB",
        timezoneId: "UTC",
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      // Events are shown with their day and how long ago they were.
      await page.clock.setFixedTime("2026-01-31T12:00:00Z");
      await page.goto(server.url.href);
      await page.locator("[data-specimen=heat]").waitFor();
      // The sentences of errors are loaded after the page.
      await page.getByText(language === "el" ? "Κάτι πήγε στραβά" : "Something went wrong").waitFor();
      if (language === "en")
        for (const name of [
          "menu [role=menu]",
          "options [role=listbox]",
          "dialog [role=dialog]",
          "drawer [role=dialog]",
        ])
          await page.locator(`[data-specimen=${name.replace(" ", "] ")}`).waitFor();
      await page.evaluate("document.fonts.ready");
      const bytes = await page.screenshot({ fullPage: true, animations: "disabled", timeout: TIMEOUT_MS });
      const boxes = await page.evaluate<Record<string, Box>>(BOXES);
      await context.close();
      return { image: PNG.sync.read(bytes), boxes };
    },
    async close() {
      await browser.close();
      await server.stop(true);
    },
  };
}
