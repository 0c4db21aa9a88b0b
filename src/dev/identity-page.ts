/** The claims about a user; the key is the subject. */
export type People = Map<string, Record<string, unknown>>;

/** Returns the page for choosing a user of the mock identity provider, with one button for each user. */
export const loginPage = (people: People, provider: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${Bun.escapeHTML(provider)}</title>
<style>body{font:16px system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem;margin:.25rem 0;width:100%}</style>
<h1>${Bun.escapeHTML(provider)}</h1><p>A stand-in for development. Who are you?</p>
<form method="post">
${[...people].map(([subject, claims]) => `<button formaction="?as=${encodeURIComponent(subject)}">${label(claims)}</button>`).join("\n")}
<button formaction="?">Nobody: cancel</button>
</form></html>`;

const label = ({ name, email, email_verified }: Record<string, unknown>) => {
  const verified =
    email_verified === undefined ? "" : `, ${email_verified === true ? "verified" : "not verified"}`;
  return Bun.escapeHTML(`${name}, ${email}${verified}`);
};
