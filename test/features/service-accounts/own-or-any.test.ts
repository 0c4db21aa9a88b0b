import { expect, test } from "bun:test";
import { callerOf, createMachine, type Machine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* A service account owns no records, so on routes for own or others' records only the permission for others' counts. */

const t = await sharedService();
const org = await createOrganization(t);
const unit = await org.unit("Sales");
const owner = await org.member({ role: "MEMBER", unit });
const todoOf = async () =>
  expectStatus(await owner.post("/api/todos", { title: "Water the plants" }), 201).body.id;
const calls = (caller: Machine["caller"], id: string, options = {}) =>
  [
    () => caller.get(`/api/todos/${id}`, options),
    () => caller.patch(`/api/todos/${id}`, { completed: true }, options),
    () => caller.delete(`/api/todos/${id}`, options),
  ] as const;
const outcomes = async (caller: Machine["caller"], options = {}) => {
  const found = [];
  for (const call of calls(caller, await todoOf(), options)) found.push(outcome(await call()));
  return found;
};
const OK = ["200", "200", "204"];
const NO = "403 FORBIDDEN";

test("an API key reads, changes and deletes the todos of members with the `…Any` permission alone", async () => {
  const any = await org.role("Any", "Todos.ReadAny", "Todos.UpdateAny", "Todos.DeleteAny");
  for (const grant of [{ role: any }, { role: any, unit }]) {
    const { caller } = await createMachine(org, grant);
    expect(await outcomes(caller)).toEqual(OK);
    expect(await outcomes(caller, { headers: { "x-filter-unit": unit } })).toEqual(OK);
    expect(await outcomes(caller, { headers: { "x-filter-member": idOf(owner) } })).toEqual(OK);
    expect(outcome(await caller.get("/api/todos/all"))).toBe("200");
  }
  const other = await createMachine(org, { role: any, unit: await org.unit("Other") });
  expect(await outcomes(other.caller)).toEqual(["404 NOT_FOUND", "404 NOT_FOUND", "404 NOT_FOUND"]);
});

test("each `…Any` permission of an API key is for its own method, and permissions for own todos are for none", async () => {
  for (const [index, name] of ["Todos.ReadAny", "Todos.UpdateAny", "Todos.DeleteAny"].entries()) {
    const { caller } = await createMachine(org, { role: await org.role(name, name) });
    expect(await outcomes(caller)).toEqual(OK.map((ok, at) => (at === index ? ok : NO)));
  }
  const own = await org.role("Own", "Todos.ReadOne", "Todos.Update", "Todos.Delete");
  expect(await outcomes((await createMachine(org, { role: own })).caller)).toEqual([NO, NO, NO]);
});

test("a user needs the permission for own todos, also for those of others", async () => {
  const any = await org.role("Only any", "Todos.ReadAny", "Todos.UpdateAny", "Todos.DeleteAny");
  expect(await outcomes(await org.member({ role: any }))).toEqual([NO, NO, NO]);
  const both = await org.member({ role: any }, { role: "MEMBER" });
  expect(await outcomes(callerOf(t.url, both.accessToken ?? ""))).toEqual(OK);
});
