import type { Caller } from "./caller.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";

export type Member = {
  userId: string;
  email: string;
  assignments: { role: { name: string }; unit: { name: string } | null }[];
  units: { name: string }[];
};

export const list = async (caller: Caller, query = "", options = {}) =>
  expectStatus(await caller.get(`/api/members?${query}`, options), 200).body;
export const ids = async (caller: Caller, query = "", options = {}): Promise<string[]> =>
  (await list(caller, query, options)).data.map(({ userId }: Member) => userId);
export const idsOf = (...people: Caller[]) => people.map(idOf);
export const read = (caller: Caller, person: Caller, options = {}) =>
  caller.get(`/api/members/${idOf(person)}`, options);

/** Sets the name of an account in the database. */
export async function named(
  t: Service,
  person: Caller,
  firstName: string,
  lastName: string,
): Promise<Caller> {
  const values = [firstName, lastName, person.email];
  await t.sql("UPDATE users SET first_name = $1, last_name = $2 WHERE email = $3", values);
  return person;
}
