/** A language in lower case, as the API returns it. The database stores it in capitals. */
export type Language = "el" | "en";

type Stored = "EL" | "EN";

export const toStored = (language: Language): Stored => (language === "el" ? "EL" : "EN");
export const fromStored = (language: Stored): Language => (language === "EL" ? "el" : "en");
