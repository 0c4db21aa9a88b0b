/** Packs ids into the form of access tokens: the concatenated 16 bytes of each UUID, in base64url (rules 6.8). */
export const packIds = (ids: string[]): string =>
  Buffer.from(ids.join("").replaceAll("-", ""), "hex").toString("base64url");

export function unpackIds(packed: string): string[] {
  const hex = Buffer.from(packed, "base64url").toString("hex");
  return (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}
