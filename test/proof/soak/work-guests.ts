import type { Random } from "../../support/image-mutations.ts";
import { claimsOf } from "./client.ts";
import { newBrowser, type Person, roleOf } from "./people.ts";
import { exclusively, pick, pickPerson, type Weighted, type WorkContext } from "./work-context.ts";

const PERMISSIONS = ["Units.Read", "Members.Read", "Roles.Read", "Todos.Read", "Todos.Create"];

/**
 * Work on guests: ends their sessions and revokes their roles. Both must take effect on every instance. No other
 * work uses these guests.
 */
export const GUEST_WORK: Weighted = [
  [
    3,
    async (w, random) => {
      const guest = pickPerson(w, random, "guest");
      await exclusively(w, guest, () => endSession(w, random, guest));
    },
  ],
  [
    3,
    async (w, random, text) => {
      const guest = pickPerson(w, random, "guest");
      await exclusively(w, guest, () => changeRoles(w, random, guest, text));
    },
  ],
];

/** Signs in a second browser and ends its session from the first. No instance may accept its cookies. */
async function endSession(w: WorkContext, random: Random, guest: Person) {
  const { client } = w;
  const second = newBrowser(guest);
  const at = () => random(1_000);
  await client.refresh(second, at());
  const cookies = [second.cookie];
  await client.refresh(second, at());
  cookies.push(second.cookie);
  if (cookies.includes(null) || !second.isFresh) return;
  const ended = await client.send(guest, at(), { method: "DELETE", path: "/api/profile/sessions" }, [204]);
  if (ended.status !== 204) return;
  const request = { method: "POST", path: "/api/auth/refresh" };
  for (const cookie of cookies)
    for (let instance = 0; instance < 3; instance += 1) {
      const response = await client.send({ ...second, cookie, token: "" }, instance, request, [200, 401]);
      if (response.status === 200)
        client.reportUnexpected(request, response, "an ended session was refreshed");
    }
}

/** Assigns a new role and changes it. The next access token of any instance must have the new permissions. */
async function changeRoles(w: WorkContext, random: Random, guest: Person, text: string) {
  const { client } = w;
  const admin = w.people.find(
    ({ role, organization }) => role === "ORG_ADMIN" && organization === guest.organization,
  ) as Person;
  const at = () => random(1_000);
  const randomPermissions = () => [
    ...new Set([pick(random, PERMISSIONS) ?? "", pick(random, PERMISSIONS) ?? ""]),
  ];
  const role = { name: `Role of ${text}`, permissions: randomPermissions() };
  const made = await client.send(admin, at(), { method: "POST", path: "/api/roles", body: role }, [201]);
  if (made.status !== 201) return;
  const assign = (roleId: unknown) =>
    client.send(
      admin,
      at(),
      {
        method: "PATCH",
        path: `/api/members/${guest.id}/roles`,
        body: { assignments: [{ roleId, unitId: null }] },
      },
      [200],
    );
  const expectPermissions = async (expected: string[]) => {
    for (let round = 0; round < 2; round += 1) {
      const token = await newToken(w, guest, at());
      if (token === null) return;
      const { permissions } = claimsOf(token);
      if ([...permissions].sort().join() !== [...expected].sort().join())
        w.violations.push(
          `the next access token has ${permissions.join()} after the roles got ${expected.join()}`,
        );
    }
  };
  if ((await assign(made.body.id)).status === 200) {
    await expectPermissions(role.permissions);
    const change = { permissions: randomPermissions() };
    const path = `/api/roles/${made.body.id}`;
    const changed = await client.send(admin, at(), { method: "PATCH", path, body: change }, [200]);
    if (changed.status === 200) await expectPermissions(change.permissions);
  }
  for (let tries = 0; tries < 5 && (await assign(roleOf("MEMBER"))).status !== 200; tries += 1)
    await Bun.sleep(500);
}

async function newToken({ client }: WorkContext, person: Person, instance: number): Promise<string | null> {
  person.token = null;
  await client.refresh(person, instance);
  return person.token;
}
