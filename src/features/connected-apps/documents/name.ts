import { isInvisible, trimmed } from "#kit";

const MAX_LENGTH = 100;

/** Characters that nobody sees, or that change how others are shown: controls, bidirectional and zero-width ones, tags. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the name of an app as people may see it, or null if nothing readable is left or it is too long. */
export function readableName(name: unknown): string | null {
  if (typeof name !== "string") return null;
  const seen = name.replaceAll(/\s/g, " ").replaceAll(UNSEEN, "").normalize("NFC");
  const cleaned = trimmed(seen.replaceAll(/ +/g, " "));
  return cleaned === "" || isInvisible(cleaned) || [...cleaned].length > MAX_LENGTH ? null : cleaned;
}
