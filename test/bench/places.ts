import type { Caller } from "../support/caller.ts";
import { Organization } from "../support/organizations.ts";
import { expectStatus, type Service } from "../support/service.ts";
import { BIG, MIDDLING, NEIGHBOURS, type Seeded, seed, seedOne, settle } from "./seed.ts";

/** Somebody who looks at an organization, and what their lists are asked with. */
export type Place = {
  caller: Caller;
  filters: { organizationId: string; search: string | null; members: null; units: string[] | null };
};
export type Places = { everything: Place; in150Units: Place };

let grown: Promise<Record<"1,000" | "50,000", Places>> | null = null;

/** Organizations of two sizes beside their neighbours; grown once for everything that is measured on them. */
export function places(t: Service) {
  grown ??= grow(t);
  return grown;
}

async function grow(t: Service) {
  const [big, middling] = [await seedOne(t, BIG), await seedOne(t, MIDDLING)];
  await seed(t, NEIGHBOURS);
  const found = { "1,000": await placesIn(t, middling), "50,000": await placesIn(t, big) };
  await settle(t);
  return found;
}

async function placesIn(t: Service, { id, thirdLevel }: Seeded): Promise<Places> {
  const administrator = await t.person();
  const organization = new Organization(t, id, administrator);
  const caller = await t.person();
  const roots = thirdLevel.slice(0, 6);
  await organization.add(administrator, { role: "ORG_ADMIN" });
  await organization.add(caller, ...roots.map((unit) => ({ role: "UNIT_ADMIN", unit })));
  for (const person of [administrator, caller]) expectStatus(await person.refresh(), 200);
  const covered = await t.sql<{ id: string }>("SELECT unit_id AS id FROM unit_subtree($1::uuid[])", [roots]);
  const filters = { organizationId: id, search: null, members: null, units: null };
  return {
    everything: { caller: administrator, filters },
    in150Units: { caller, filters: { ...filters, units: covered.map((unit) => unit.id) } },
  };
}
