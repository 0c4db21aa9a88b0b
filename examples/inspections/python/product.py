"""Inspections, a product beside the service, in the standard library of Python 3.11. See docs/product.md."""
import json, os, sqlite3, sys, threading, time, uuid
from pathlib import Path
from urllib.parse import quote

from service import NoAnswer, call, can, check, reach
from web import Refused, serve

FILES = Path(__file__).parent.parent
SEEN = "SELECT * FROM shown WHERE organization_id = ?1 AND (?2 = 'null' OR unitId IN (SELECT value FROM json_each(?2)))"
lock, in_flight = threading.RLock(), set()
database = sqlite3.connect(os.environ.get("DATA", "inspections.db"), check_same_thread=False)
database.row_factory = sqlite3.Row
database.executescript((FILES / "schema.sql").read_text("utf-8"))

def rows(statement, *values):
    with lock: return database.execute(statement, values).fetchall()

# The outbox: a call is stored together with the change that it reports, and sent until it is answered.
def write(caller, inspection, statement, values, **changes):
    key, actor = str(uuid.uuid4()), caller["actor"]
    reference = {"userId" if actor["type"] == "user" else "serviceAccountId": actor["id"]}
    body = {"organizationId": caller["organization"]["id"], "actor": reference, "ip": caller["ip"], **changes}
    with lock, database:
        if database.execute(statement, values).rowcount == 0: raise Refused(409, "CONFLICT", "Not in this state")
        database.execute("INSERT INTO outbox VALUES (?, ?, ?)", (key, inspection, json.dumps(body)))
        in_flight.add(key)  # before the commit, so that `sweep` leaves the call to this request
    send(key)

def send(key):
    try:
        [(inspection, body)] = rows("SELECT inspection_id, call FROM outbox WHERE key = ?", key)
        status, answer = call("POST", "/api/product/changes", json.loads(body), **{"Idempotency-Key": key})
        reason = None if status == 200 else answer.get("errors", [answer])[0]["message"]
        if reason: print("refused:", reason, file=sys.stderr)
        outcome = {"id": inspection, "state": "refused" if reason else "active", "reason": reason}
        settle = "UPDATE inspections SET state = :state, reason = :reason WHERE id = :id AND state = 'pending'"
        if status == 404: settle = "DELETE FROM inspections WHERE id = :id AND state = 'pending'"  # no organization
        with lock, database:
            database.execute("DELETE FROM outbox WHERE key = ?", (key,))
            database.execute(settle, outcome)
    except NoAnswer as error: print("no answer:", error, file=sys.stderr)
    finally: in_flight.discard(key)

def sweep():
    """Sends again, with the same key, what was not answered to this process or to one that was killed."""
    for (key,) in rows("SELECT key FROM outbox ORDER BY rowid"):
        with lock:
            is_left = key not in in_flight and rows("SELECT 1 FROM outbox WHERE key = ?", key)
            if is_left: in_flight.add(key)
        if is_left: send(key)
    time.sleep(1)

# The feed: what changed at the service. The cursor is stored together with what the entries change.
def follow():
    cursor = rows("SELECT cursor FROM feed")
    query = f"after={quote(cursor[0][0])}&wait=30&pageSize=100" if cursor else "after=latest"
    status, page = call("GET", f"/api/product/feed?{query}", timeout=60)
    entries = [(entry["type"], entry["object"]) for entry in page.get("data", [])] if cursor else list(differences())
    with lock, database:
        for kind, thing in entries: apply(kind, thing)
        database.execute("DELETE FROM feed")  # 410: entries were deleted before they were read, so begin anew
        if status != 410: database.execute("INSERT INTO feed VALUES (?)", (page["cursor"],))

def apply(kind, thing):
    if kind == "unit.deleted":
        database.execute("UPDATE moved SET parent_id = ? WHERE parent_id = ?", (thing["parentId"], thing["id"]))
        database.execute("INSERT OR REPLACE INTO moved VALUES (?, ?)", (thing["id"], thing["parentId"]))
    elif kind == "organization.deleted":
        database.execute("DELETE FROM inspections WHERE organization_id = ?", (thing["id"],))
    elif kind == "user.updated" and "firstName" in thing:
        name = f"{thing['firstName']} {thing['lastName']}"
        database.execute("UPDATE people SET name = ? WHERE id = ? AND name <> ''", (name, thing["id"]))
    elif kind == "user.deleted":  # The id stays, so that a request that runs now cannot store the name again.
        database.execute("INSERT OR REPLACE INTO people VALUES (?, '')", (thing["id"],))

def differences():
    """Yields what the stored records miss, from the service's lists: at the start, and after a gap."""
    for organization, unit, user in rows("SELECT DISTINCT organization_id, unitId, assigneeId FROM shown"):
        at = {"X-Organization-Id": organization}
        status, answer = call("GET", "/api/units", **at)
        if status == 404: yield "organization.deleted", {"id": organization}
        elif unit and all(unit != one["id"] for one in answer["data"]): yield "unit.deleted", {"id": unit, "parentId": None}
        if user and call("GET", f"/api/members/{user}", **at)[0] == 404: yield "user.deleted", {"id": user}

# The product's own API and page.
def seen(caller, more="", *values):
    units = json.dumps(reach(caller, "Inspections.Read"))  # "null" for the whole organization
    return [dict(row) for row in rows(SEEN + more, caller["organization"]["id"], units, *values)]

def create(caller, body):
    unit, title, inspection = body.get("unitId"), " ".join(str(body.get("title", "")).split()), str(uuid.uuid4())
    if not isinstance(unit, str | None) or not 0 < len(title) <= 100:
        raise Refused(400, "VALIDATION_FAILED", "title must have 1 to 100 characters, unitId must be a unit or null")
    if not can(caller, "Inspections.Create", unit): raise Refused(403, "FORBIDDEN", "You need Inspections.Create")
    usage = {"limit": "inspections", "id": inspection, "amount": 1}
    # The service refuses a unit that is none of this organization, and with it the whole call.
    event = {"type": "inspection.created", "objectId": inspection, "object": {"id": inspection, "title": title}}
    event["reach"] = {"unitId": unit} if unit else "organization"
    insert = "INSERT INTO inspections (id, organization_id, unit_id, title) VALUES (?, ?, ?, ?)"
    write(caller, inspection, insert, (inspection, caller["organization"]["id"], unit, title), usage=[usage], events=[event])
    [(state, reason)] = rows("SELECT state, reason FROM inspections WHERE id = ?", inspection) or [("refused", "Deleted")]
    if state == "refused":
        with lock, database: database.execute("DELETE FROM inspections WHERE id = ?", (inspection,))
        raise Refused(403, "REFUSED", reason)
    return 202 if state == "pending" else 201, {"id": inspection, "unitId": unit, "title": title, "state": state}

def change(caller, record, action, body):
    inspection, title, unit = record["id"], record["title"], record["unitId"]
    permission = "Inspections.Update" if action else "Inspections.Delete"
    if not can(caller, permission, unit): raise Refused(403, "FORBIDDEN", f"You need {permission}")
    where = {"unitId": unit} if unit else "organization"
    if action is None:
        usage = {"limit": "inspections", "id": inspection, "amount": 0}
        entry = {"action": "INSPECTION_DELETED", "targetId": inspection, "metadata": {"title": title}, "reach": where}
        delete = "DELETE FROM inspections WHERE id = ? AND state <> 'pending'"
        write(caller, inspection, delete, (inspection,), usage=[usage], audit=[entry])
    elif action == "complete":
        event = {"type": "inspection.completed", "objectId": inspection, "object": {"id": inspection, "title": title}}
        statement = "UPDATE inspections SET state = 'completed' WHERE id = ? AND state = 'active'"
        write(caller, inspection, statement, (inspection,), events=[event | {"reach": where}])
    else:
        assignee = {"organizationId": caller["organization"]["id"], "userId": body.get("userId")}
        status, person = call("POST", "/api/product/check", assignee)
        if status != 200 or not person["active"] or not can(person, "Inspections.Read", unit):
            raise Refused(400, "VALIDATION_FAILED", "userId must be a member who may read the inspection")
        named = "INSERT INTO people VALUES (:id, :name) ON CONFLICT (id) DO UPDATE SET name = :name WHERE name <> ''"
        with lock, database: database.execute(named, person["actor"])
        notice = {"type": "INSPECTION_ASSIGNED", "userIds": [body["userId"]], "data": {"id": inspection, "title": title}}
        statement = "UPDATE inspections SET assignee_id = ? WHERE id = ? AND state IN ('active', 'completed')"
        write(caller, inspection, statement, (person["actor"]["id"], inspection), notifications=[notice])
    return 200, (seen(caller, " AND id = ?3", inspection) or [None])[0]

def api(method, inspection, action, token, ip, body):
    """Handles a request to `/api/inspections`, `/api/inspections/{id}` or `/api/inspections/{id}/{action}`."""
    caller = check(token, ip) | {"ip": ip}
    if not caller["active"]: raise Refused(401, caller["reason"], "Sign in")
    if inspection is None:
        return create(caller, body) if method == "POST" else (200, {"data": seen(caller, " ORDER BY number DESC")})
    found = seen(caller, " AND id = ?3", inspection)
    if not found: raise Refused(404, "NOT_FOUND", "There is no such inspection")
    return (200, found[0]) if method == "GET" else change(caller, found[0], action, body)

def forever(work):
    while True:
        try: work()
        except Exception as error: print(f"{work.__name__}:", error, file=sys.stderr); time.sleep(1)

for work in (sweep, follow): threading.Thread(target=forever, args=(work,), daemon=True).start()
serve(FILES, api)
