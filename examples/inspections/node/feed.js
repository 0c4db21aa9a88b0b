import { ApiError } from "multi-organization-service-client/server";
import { product } from "./service.js";
import { rows, run, transaction } from "./store.js";

/** Follows what changes at the service. An entry may come again after a restart, which changes nothing. */
export async function follow() {
  const [stored] = rows("SELECT cursor FROM feed");
  const save = (cursor) =>
    transaction(() => {
      run("DELETE FROM feed");
      run("INSERT INTO feed VALUES (:cursor)", { cursor });
    });
  const onFailure = (error) => console.error("feed:", error.message);
  const options = { after: stored?.cursor ?? null, save, onExpired: compare, onFailure };
  for await (const { type, object } of product.feed(options)) apply(type, object);
}

function apply(type, object) {
  const { id, parentId } = object;
  if (type === "unit.deleted")
    transaction(() => {
      run("UPDATE moved SET parent_id = :parentId WHERE parent_id = :id", { id, parentId });
      run("INSERT OR REPLACE INTO moved VALUES (:id, :parentId)", { id, parentId });
    });
  else if (type === "organization.deleted")
    run("DELETE FROM inspections WHERE organization_id = :id", { id });
  else if (type === "user.updated" && object.firstName !== undefined) {
    const name = `${object.firstName} ${object.lastName}`;
    run("UPDATE people SET name = :name WHERE id = :id AND name <> ''", { id, name });
  }
  // The id stays, so that a request that runs now cannot store the name again.
  else if (type === "user.deleted") run("INSERT OR REPLACE INTO people VALUES (:id, '')", { id });
}

/** Applies what the stored records miss, from the service's lists: at the start, and after a gap. */
async function compare() {
  const places = rows("SELECT DISTINCT organization_id AS organization, unitId, assigneeId FROM shown");
  for (const { organization, unitId, assigneeId } of places) {
    const headers = { "X-Organization-Id": organization };
    const units = await orNull(product.request("GET /api/units", { headers }));
    if (units === null) apply("organization.deleted", { id: organization });
    else if (unitId !== null && !units.data.some(({ id }) => id === unitId))
      apply("unit.deleted", { id: unitId, parentId: null });
    const member =
      assigneeId && product.request("GET /api/members/{userId}", { headers, path: { userId: assigneeId } });
    if (assigneeId && (await orNull(member)) === null) apply("user.deleted", { id: assigneeId });
  }
}

const orNull = (answer) =>
  answer.catch((error) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });
