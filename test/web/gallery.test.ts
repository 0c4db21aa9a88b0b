import { describe, expect, test } from "bun:test";
import { withoutBrowser } from "./support/browser.ts";
import { LOOKS, openGallery } from "./support/gallery.ts";
import { differences, readGolden, saveGolden } from "./support/golden.ts";

/** `UPDATE_GOLDEN=true` writes the golden images instead of comparing them. */
const isUpdate = process.env.UPDATE_GOLDEN === "true";

describe.skipIf(withoutBrowser)("the components of the console", () => {
  test("look as in their golden images: light and dark, in both languages, at 1440 and 375 px", async () => {
    const gallery = await openGallery();
    try {
      for (const look of LOOKS) {
        const shot = await gallery.shoot(look);
        if (isUpdate) await saveGolden(look, shot);
        else
          expect({ look, differences: differences(await readGolden(look), shot) }).toEqual({
            look,
            differences: [],
          });
      }
    } finally {
      await gallery.close();
    }
  });
});
