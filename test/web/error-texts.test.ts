import { expect, test } from "bun:test";
import { join } from "node:path";

// Modules of the console read the page when they are loaded.
Object.assign(globalThis, { document: { querySelector: () => null, documentElement: { lang: "en" } } });
/** Loads a module of the console, whose types need those of a browser. */
const load = (name: string) => import(join(import.meta.dir, "../../src/web", name));
const { errorTexts } = await load("texts/errors.ts");
const { sentenceOf } = await load("lib/errors.ts");
const { compose } = await load("lib/features.ts");

test("an error code has the sentence of the area that declares it, or one of the service", () => {
  compose([{ routes: [], menu: [], errors: { ROOM_CLOSED: { en: "The room is closed.", el: "Κλειστό." } } }]);
  expect(sentenceOf("ROOM_CLOSED", "en", errorTexts.en)).toBe("The room is closed.");
  expect(sentenceOf("ROOM_CLOSED", "el", undefined)).toBe("Κλειστό.");
  expect(sentenceOf("TICKET_CLOSED", "en", errorTexts.en)).toBe(
    "The ticket is closed and accepts no more replies.",
  );
});
