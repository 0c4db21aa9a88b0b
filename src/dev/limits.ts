import { developmentApi } from "../app/api.ts";
import { limits } from "../app/limits.ts";
import { definitionsOf } from "../core/api/router.ts";
import {
  DAY,
  HOUR,
  LIMITS,
  type LimitRow,
  MB,
  MINUTE,
  type PermitsRow,
  type RateRow,
} from "../core/definitions/limits.ts";

const DURATIONS = new Map([
  [MINUTE, "minute"],
  [15 * MINUTE, "15 minutes"],
  [HOUR, "hour"],
  [2 * HOUR, "2 hours"],
  [DAY, "day"],
]);

/** Returns a table as the formatter writes it: each column as wide as its longest cell. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

const named = ({ text, variable }: LimitRow): string => (variable ? `${text} (\`${variable}\`)` : text);
const amount = (count: number, { unit }: LimitRow): string =>
  unit === "MB" ? `${count / MB} MB` : count.toLocaleString("en");

const rateCells = (row: RateRow): string[] => {
  const store = row.store === "database" ? "all instances" : "an instance";
  return [named(row), row.per, amount(row.points, row), DURATIONS.get(row.perSeconds) ?? "", store, row.rule];
};

/** Returns the cells of a row; its levels are shown as "person: 2, 64 wait". */
const permitCells = (row: PermitsRow): string[] => {
  const levels = Object.entries(row.levels).flatMap(([per, { max, waiting = 0 }]) => {
    const runs = max === Infinity ? [] : [amount(max as number, row)];
    const waits = waiting === Infinity ? ["the others wait"] : waiting === 0 ? [] : [`${waiting} wait`];
    return max === Infinity && waiting === Infinity ? [] : [`${per}: ${[...runs, ...waits].join(", ")}`];
  });
  return [named(row), levels.join("; "), row.rule];
};

const routes = definitionsOf(developmentApi).flatMap(({ method, path, throttle = {} }) => {
  const { perIp, failuresPerIp, perUserPerMinute } = throttle;
  const [per, points] = perIp
    ? ["address", LIMITS.calls.points * Number(perIp)]
    : failuresPerIp
      ? ["address; only calls that fail", LIMITS.calls.points * Number(failuresPerIp)]
      : ["user", perUserPerMinute];
  return points === undefined ? [] : [[`${method.toUpperCase()} \`${path}\``, per, String(points)]];
});

/** Returns docs/limits.md. */
export const limitsPage = (): string => `# Limits

All limits on how often and how much at once, with the numbers of their [rules](rules/requests.md#23-limits-against-abuse).
\`bun run limits\` writes this page from the rows in \`src/core/definitions/limits.ts\` and in \`limits.ts\` of each feature.
Two mechanisms in \`src/platform/limits/\` enforce them:

- \`Rate\` counts in windows that begin with the first count. Limits of all instances are counted by queries instead, because their
  records are rows anyway; the queries take their numbers from the same rows.
- \`Permits\` admits so many at once under each key, and lets others wait up to the deadline of their request. They take turns by
  the first key. A permit has a weight: for memory the number of bytes.

Beyond a limit the response is 429 or 503 with \`Retry-After\`. An address in IPv6 is its /64.

## How often

${table(["What", "For each", "At most", "In one", "Counted by", "Rule"], limits.filter((row) => "points" in row).map(rateCells))}

Calls a minute of each of these routes, counted by an instance:

${table(["Route", "For each", "At most"], routes)}

## How much at once

On each instance, by the kind of the key. \`instance\`, and \`small\` and \`large\` by the size of a body, are the sums of all callers.

${table(["What", "At once, and how many more wait", "Rule"], limits.filter((row) => "levels" in row).map(permitCells))}
`;

if (import.meta.main) await Bun.write(`${import.meta.dir}/../../docs/limits.md`, limitsPage());
