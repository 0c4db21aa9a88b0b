import { expect, test } from "bun:test";
import { deadlocksIn } from "./deadlocks.ts";

const LOG = `2026-11-23 07:00:00.000 UTC [11] race_1_0 ERROR:  deadlock detected
2026-11-23 07:00:00.000 UTC [12] race_1_1 ERROR:  deadlock detected
2026-11-23 07:00:00.000 UTC [11] race_1_0 DETAIL:  Process 11 waits for ShareLock on transaction 1; blocked by process 13.
\tProcess 13 waits for ShareLock on transaction 2; blocked by process 11.
\tProcess 11: UPDATE users
\t  SET first_name = 'a'
\tProcess 13: UPDATE memberships SET sort_name = 'b'
2026-11-23 07:00:00.000 UTC [11] race_1_0 HINT:  See server log for query details.
2026-11-23 07:00:00.000 UTC [12] race_1_1 DETAIL:  Process 12 waits
2026-11-23 07:00:00.000 UTC [14] race_1_0 ERROR:  division by zero
2026-11-23 07:00:00.000 UTC [14] race_1_0 DETAIL:  none
`;

test("deadlocks are read from the server log with the statements of both processes", () => {
  const [first, ...more] = deadlocksIn(LOG, "race_1_0");
  expect(more).toEqual([]);
  expect(first).toContain("UPDATE users\n\t  SET first_name = 'a'");
  expect(first).toEndWith("UPDATE memberships SET sort_name = 'b'");
  expect(deadlocksIn(LOG, "race_1_1")).toEqual(["Process 12 waits"]);
});
