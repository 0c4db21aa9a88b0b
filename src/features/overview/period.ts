import { z } from "@hono/zod-openapi";
import { type Period, type Queryable, validationFailed } from "#kit";
import { isInvalidParameter } from "#kit/inside";
import { listDays } from "#sql/overviews/period";

const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

const NO_TIME_ZONE = "must be the IANA name of a time zone, such as Europe/Athens";

/**
 * Whether this is the name of a time zone. Offsets such as `+02:00` are rejected, because PostgreSQL reads their
 * sign the other way round.
 */
function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The query parameters of every overview. */
export const OverviewQuery = z.strictObject({
  days: z
    .enum(["7", "30", "90"])
    .default("30")
    .transform(Number)
    .openapi({
      type: "integer",
      enum: [7, 30, 90],
      default: 30,
      param: { description: "The number of days to report, including today." },
    }),
  timeZone: z
    .string()
    .max(64)
    .refine(isTimeZone, NO_TIME_ZONE)
    .default("UTC")
    .openapi({ param: { description: "The IANA name of the time zone in which days begin." } }),
});

/**
 * Returns the period of the last days in a time zone, today included.
 * @throws validationFailed if the runtime knows the time zone and PostgreSQL does not
 */
export async function lastDays(
  db: Queryable,
  { days, timeZone }: z.output<typeof OverviewQuery>,
): Promise<Period> {
  const rows = await listDays.run({ days, timeZone }, db).catch((error) => {
    if (!isInvalidParameter(error)) throw error;
    throw validationFailed([{ path: "timeZone", message: `timeZone ${NO_TIME_ZONE}` }]);
  });
  return { timeZone, days: rows.map(({ day }) => day), from: rows[0]?.startsAt ?? new Date() };
}
