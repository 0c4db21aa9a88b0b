import { z } from "@hono/zod-openapi";
import { filter, listQuery, pageOf, pathId, singleLine } from "#kit";
import { overlapSeconds } from "#kit/inside";
import { isApiKey, isAppSecret } from "../../core/access/token-forms.ts";
import { canonicalRange } from "./allowed-addresses.ts";
import { ApiKey, KEY_STATUSES } from "./schemas.ts";

export const ApiKeyPage = pageOf(ApiKey).openapi("ApiKeyPage");
export const ApiKeyPath = z.strictObject({ id: pathId("service account"), keyId: pathId("key") });
export const ApiKeyQuery = listQuery(
  { sorts: ["createdAt", "lastUsedAt", "expiresAt"], defaultOrder: "desc" },
  {
    status: filter(
      z
        .array(z.enum(KEY_STATUSES))
        .max(50)
        .openapi({ type: "array", maxItems: 50, items: { type: "string", enum: [...KEY_STATUSES] } }),
      "Only keys with these statuses.",
    ),
  },
);

const MAX_RANGES = 20;
const allowedIps = z
  .array(
    z.string().transform((text, ctx) => {
      const range = canonicalRange(text.trim());
      if (range !== null) return range;
      ctx.addIssue({ code: "custom", message: "must be an IP address or a CIDR range", input: text });
      return z.NEVER;
    }),
  )
  .min(1)
  .max(MAX_RANGES)
  .transform((ranges) => [...new Set(ranges)])
  .nullable()
  .openapi({
    type: ["array", "null"],
    items: { type: "string" },
    minItems: 1,
    maxItems: MAX_RANGES,
    description:
      "IP addresses and CIDR ranges from which the key may be used, at most 20; null for all. Host bits of a range are set to zero.",
  });

const expiresAt = z.iso
  .datetime({ offset: true })
  .transform((text, ctx) => {
    const time = new Date(text);
    const latest = new Date();
    latest.setUTCFullYear(latest.getUTCFullYear() + 10);
    const fail = (message: string) => ctx.addIssue({ code: "custom", message, input: text });
    if (time.getTime() <= Date.now()) fail("must be in the future");
    else if (time > latest) fail("must be at most ten years ahead");
    return time;
  })
  .openapi({ type: "string", format: "date-time", example: "2027-01-31T09:30:00.000Z" });

const name = singleLine({ min: 1, max: 100 });

export const CreateApiKeyBody = z
  .strictObject({
    name: name.describe("The name of the key, such as its purpose."),
    expiresAt: expiresAt
      .nullable()
      .default(null)
      .openapi({ type: ["string", "null"] })
      .describe("When the key expires, at most ten years ahead; null for a key that does not expire."),
    allowedIps: allowedIps.default(null),
  })
  .openapi("CreateApiKeyBody");
export const UpdateApiKeyBody = z
  .strictObject({
    name: name.optional().describe("The name of the key, such as its purpose."),
    allowedIps: allowedIps.optional(),
  })
  .openapi("UpdateApiKeyBody");

export const RotateApiKeyBody = z
  .strictObject({
    overlapSeconds: overlapSeconds.describe(
      "Seconds for which the old key keeps working, but never beyond its own `expiresAt`.",
    ),
    expiresAt: expiresAt
      .optional()
      .describe("When the new key expires. If omitted, it expires when the old key would have expired."),
  })
  .openapi("RotateApiKeyBody");

export const ReportKeyBody = z
  .strictObject({
    key: z
      .string()
      .superRefine((value, ctx) => {
        if (!isApiKey(value) && !isAppSecret("a", value) && !isAppSecret("r", value))
          ctx.addIssue({ code: "custom", message: "must be an API key", input: undefined });
      })
      .describe("The API key to revoke, or the access or refresh token of an app, whose access ends."),
  })
  .openapi("ReportKeyBody");
