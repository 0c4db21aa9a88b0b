import { expect, test } from "bun:test";
import { unpackIds } from "../../../src/core/access/packed-ids.ts";
import { claimsOf } from "../../support/caller.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { startProduct } from "../../support/product.ts";
import { ROUNDS } from "../../support/race.ts";
import { seedOf } from "../../support/seeds.ts";
import { expectStatus } from "../../support/service.ts";

const { t, product } = await startProduct();
const NAMES = ["Inspections.Read", "Inspections.Create", "Inspections.Update", "Inspections.Delete"];
const UNITS = 12;
const MEMBERS = 10;

/** Returns a generator of numbers below a bound, the same ones for the same seed. */
function numbers(seed: number) {
  let drawn = 0;
  return (bound: number) => {
    drawn += 1;
    return seedOf(seed, drawn) % bound;
  };
}

type Granted = { permissions: string[]; unitGrants: { permissions: string[]; units: string[] }[] };
/** Returns what is held in each unit, and in the whole organization under "". */
function heldBy({ permissions, unitGrants }: Granted, units: string[]) {
  const held = (unit: string) => [
    ...permissions,
    ...unitGrants.flatMap((grant) => (grant.units.includes(unit) ? grant.permissions : [])),
  ];
  return Object.fromEntries(["", ...units].map((unit) => [unit, [...new Set(held(unit))].sort()]));
}

test(`in ${ROUNDS} random trees \`check\` grants in each unit what roles grant there, and what the token says`, async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
  for (let round = 0; round < ROUNDS; round += 1) {
    const draw = numbers(seed + round);
    const org = await createOrganization(t);
    const units: string[] = [];
    const parents = new Map<string, string | null>();
    for (let nth = 0; nth < UNITS; nth += 1) {
      const parent = nth > 0 && draw(4) > 0 ? (units[draw(nth)] ?? null) : null;
      const id = await org.unit(`Unit ${nth}`, parent);
      units.push(id);
      parents.set(id, parent);
    }
    const roles: { id: string; permissions: string[] }[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const permissions = [...NAMES.filter(() => draw(2) === 0), ...(draw(2) === 0 ? ["Todos.ReadAny"] : [])];
      roles.push({ id: await org.role(`Role ${nth}`, ...permissions), permissions });
    }
    const isWithin = (unit: string, root: string): boolean => {
      for (let at: string | null = unit; at !== null; at = parents.get(at) ?? null)
        if (at === root) return true;
      return false;
    };
    for (let nth = 0; nth < MEMBERS; nth += 1) {
      const chosen = new Map<string, { role: (typeof roles)[number]; unit: string | null }>();
      for (let given = 1 + draw(4); given > 0; given -= 1) {
        const role = roles[draw(roles.length)] as (typeof roles)[number];
        const unit = draw(4) === 0 ? null : (units[draw(UNITS)] ?? null);
        chosen.set(`${role.id} ${unit}`, { role, unit });
      }
      const grants = [...chosen.values()];
      const member = await org.member(...grants.map(({ role, unit }) => ({ role: role.id, unit })));
      const here = `seed ${seed} round ${round} member ${nth}`;
      const expected = Object.fromEntries(
        ["", ...units].map((at) => {
          const own = grants.filter(({ unit }) => unit === null || (at !== "" && isWithin(at, unit)));
          const held = own.flatMap(({ role }) => role.permissions).filter((name) => NAMES.includes(name));
          return [at, [...new Set(held)].sort()];
        }),
      );
      const checks = [
        { token: member.accessToken },
        { userId: await userIdOf(t, member), organizationId: org.id },
      ];
      for (const body of checks) {
        const answer = expectStatus(await product.post("/api/product/check", body), 200).body;
        expect([here, heldBy(answer, units)]).toEqual([here, expected]);
      }
      const claims = claimsOf(member.accessToken ?? "");
      const inToken: Granted = {
        permissions: claims.permissions.filter((name: string) => NAMES.includes(name)),
        unitGrants: claims.unitGrants.map((grant: { permissions: string[]; units: string }) => ({
          permissions: grant.permissions.filter((name) => NAMES.includes(name)),
          units: unpackIds(grant.units),
        })),
      };
      expect([here, heldBy(inToken, units)]).toEqual([here, expected]);
    }
  }
});
