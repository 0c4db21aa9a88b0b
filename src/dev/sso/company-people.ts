/** A person of a company's provider. */
export type Person = {
  subject: string;
  oid: string;
  firstName: string;
  lastName: string;
  email: string;
  groups: string[];
};

/** How a provider says who somebody is. */
export type Kind = "entra" | "okta";

/** From so many groups on, the Entra-like provider sends a pointer instead of the list. */
export const ENTRA_MAX_GROUPS = 5;

/** Returns the id of a group at the Entra-like provider: a UUID that is made of its name. */
export function groupId(name: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Returns the claims about a person. The Entra-like provider has `oid` and `preferred_username`, groups by id, a pointer for many, and does
 * not say whether the email is verified; the Okta-like one has `email_verified` and groups by name.
 */
export function claimsOf(
  kind: Kind,
  { oid, firstName, lastName, email, groups }: Person,
): Record<string, unknown> {
  const names = { name: `${firstName} ${lastName}`, given_name: firstName, family_name: lastName, email };
  if (kind === "okta") return { ...names, email_verified: true, groups };
  return {
    ...names,
    oid,
    preferred_username: email,
    ...(groups.length > ENTRA_MAX_GROUPS
      ? {
          _claim_names: { groups: "src1" },
          _claim_sources: { src1: { endpoint: "https://graph.example.com/groups" } },
        }
      : { groups: groups.map(groupId) }),
  };
}

/** Returns the people of a company with this domain, to begin with. */
export const peopleOf = (domain: string): Person[] =>
  [
    ["Petra", "Price", ["Administrators", "Athens"]],
    ["Quentin", "Quick", ["Athens"]],
    ["Rosa", "Rich", []],
    ["Sven", "Snow", ["One", "Two", "Three", "Four", "Five", "Six"]],
  ].map(([firstName, lastName, groups]) =>
    newPerson(`${firstName} ${lastName}`, `${firstName}@${domain}`.toLowerCase(), groups as string[]),
  );

export function newPerson(name: string, email: string, groups: string[]): Person {
  const [firstName = "", ...rest] = name.split(" ");
  const subject = new Bun.CryptoHasher("sha256").update(`subject ${email}`).digest("hex").slice(0, 24);
  return { subject, oid: groupId(`oid ${email}`), firstName, lastName: rest.join(" "), email, groups };
}
