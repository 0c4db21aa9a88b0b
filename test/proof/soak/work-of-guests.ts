import type { Random } from "../../support/image-mutations.ts";
import { claimsOf } from "./client.ts";
import { browserOf, type Person, roleOf } from "./people.ts";
import { alone, being, pick, type Weighted, type Workplace } from "./workplace.ts";

const PERMISSIONS = ["Units.Read", "Members.Read", "Roles.Read", "Todos.Read", "Todos.Create"];

/** What is taken away from people, whom nobody else works with meanwhile: it must be gone on every instance. */
export const OF_GUESTS: Weighted = [
  [
    3,
    async (w, random) => {
      const guest = being(w, random, "guest");
      await alone(w, guest, () => endSession(w, random, guest));
    },
  ],
  [
    3,
    async (w, random, text) => {
      const guest = being(w, random, "guest");
      await alone(w, guest, () => changeRoles(w, random, guest, text));
    },
  ],
];

/** A second browser, which is signed out by the first: neither of its cookies may do, wherever it goes. */
async function endSession(w: Workplace, random: Random, guest: Person) {
  const { client } = w;
  const second = browserOf(guest);
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
      const answer = await client.send({ ...second, cookie, token: "" }, instance, request, [200, 401]);
      if (answer.status === 200) client.complain(request, answer, "a session goes on that was ended");
    }
}

/** A role of one's own, which is changed: the next access token says so, whoever gives it. */
async function changeRoles(w: Workplace, random: Random, guest: Person, text: string) {
  const { client } = w;
  const admin = w.people.find(
    ({ role, organization }) => role === "ORG_ADMIN" && organization === guest.organization,
  ) as Person;
  const at = () => random(1_000);
  const permissions = () => [...new Set([pick(random, PERMISSIONS) ?? "", pick(random, PERMISSIONS) ?? ""])];
  const role = { name: `Role of ${text}`, permissions: permissions() };
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
  const expectPermissions = async (wanted: string[]) => {
    for (let round = 0; round < 2; round += 1) {
      const token = await newToken(w, guest, at());
      if (token === null) return;
      const has = claimsOf(token).permissions;
      if ([...has].sort().join() !== [...wanted].sort().join())
        w.found.push(`the next token of somebody says ${has.join()} after roles became ${wanted.join()}`);
    }
  };
  if ((await assign(made.body.id)).status === 200) {
    await expectPermissions(role.permissions);
    const change = { permissions: permissions() };
    const path = `/api/roles/${made.body.id}`;
    const changed = await client.send(admin, at(), { method: "PATCH", path, body: change }, [200]);
    if (changed.status === 200) await expectPermissions(change.permissions);
  }
  for (let tries = 0; tries < 5 && (await assign(roleOf("MEMBER"))).status !== 200; tries += 1)
    await Bun.sleep(500);
}

async function newToken({ client }: Workplace, person: Person, instance: number): Promise<string | null> {
  person.token = null;
  await client.refresh(person, instance);
  return person.token;
}
