import { z } from "@hono/zod-openapi";
import { singleLine } from "../definitions/fields.ts";

/*
 * The manifest of a product whose code runs elsewhere: what it adds to the names of the service. It says the same words as
 * `feature()`. docs/product.md describes every part.
 */

const MAX_TEXT = 200;
const line = singleLine({ min: 1, max: MAX_TEXT });
const text = z
  .strictObject({
    en: line.describe("In English."),
    el: line.optional().describe("In Greek; by default the English text."),
  })
  .transform(({ en, el }): Text => ({ en, el: el ?? en }));

/** A text in each language. */
export type Text = { en: string; el: string };

/** A path or a link below the product's URL: one slash first, visible ASCII characters, no dot segments. */
const PATH = /^\/(?![/\\])[!-[\]-~]*$/;
const DOTS = /(?:^|\/)(?:\.|%2e){1,2}(?:[/?#]|$)/i;
const path = z
  .string()
  .max(MAX_TEXT)
  .refine(
    (value) => PATH.test(value) && !DOTS.test(value),
    "must begin with one / and have only visible ASCII characters and no . or .. as a segment",
  );

/** What the names of a part look like, how many there may be, and how that is said. */
type NamesOf = { pattern: RegExp; max: number; form: string };
const PLAN_NAMES = {
  pattern: /^[a-z][A-Za-z0-9]{0,39}$/,
  max: 20,
  form: "camelCase, at most 40 characters, such as inspections",
};
const UPPER_SNAKE = /^(?=.{1,60}$)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const UPPER_SNAKE_FORM = "UPPER_SNAKE, at most 60 characters, such as";

/** The names of each part of the manifest. */
export const NAMES = {
  permissions: {
    pattern: /^[A-Z][A-Za-z]{1,29}\.[A-Z][A-Za-z]{1,19}$/,
    max: 40,
    form: "<Entity>.<Action>, such as Inspections.Read",
  },
  limits: PLAN_NAMES,
  features: PLAN_NAMES,
  audit: { pattern: UPPER_SNAKE, max: 40, form: `${UPPER_SNAKE_FORM} INSPECTION_DELETED` },
  events: {
    pattern: /^(?=.{1,60}$)[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/,
    max: 40,
    form: "<record>.<past>, such as inspection.completed",
  },
  notifications: { pattern: UPPER_SNAKE, max: 20, form: `${UPPER_SNAKE_FORM} INSPECTION_ASSIGNED` },
} as const satisfies Record<string, NamesOf>;
export type NamedPart = keyof typeof NAMES;

export const TARGET = /^[a-z][a-z_]{1,29}$/;
const MAX_PAGES = 10;

/** Returns the schema of a part by name. The names themselves are checked apart, so that all faults are found at once. */
const named = <Entry extends z.ZodType>(part: NamedPart, entry: Entry) =>
  z
    .record(z.string(), entry)
    .meta({ propertyNames: { pattern: NAMES[part].pattern.source }, maxProperties: NAMES[part].max });

export const Manifest = z.strictObject({
  $schema: z.string().optional().describe("The address of this schema, for editors."),
  name: text.describe("What the product is called."),
  url: z.string().max(500).describe("Where its pages are. Its origin is allowed to call the API."),
  permissions: named(
    "permissions",
    z.strictObject({
      scope: z
        .enum(["unit", "organization"])
        .describe("Whether it can be held in a unit, or only in the whole organization."),
      text: text.describe("What it allows."),
      member: z.boolean().default(false).describe("Whether the built-in role MEMBER has it."),
    }),
  )
    .meta({ minProperties: 1 })
    .describe("What its users may be allowed to do."),
  limits: named(
    "limits",
    z.strictObject({
      text: text.describe("What is counted."),
      per: z
        .literal("month")
        .optional()
        .describe("Counts what was first recorded in this month of UTC; absent: a stock."),
    }),
  )
    .default({})
    .describe("What plans may limit."),
  features: named("features", z.strictObject({ text: text.describe("What the feature is called.") }))
    .default({})
    .describe("What plans may include."),
  audit: named(
    "audit",
    z.strictObject({
      target: z.string().describe("The kind of record that it is about, such as `inspection`."),
      text: text.describe(
        "What happened; `{word}` stands for a value of the metadata, `{actor}` for who did it.",
      ),
    }),
  )
    .default({})
    .describe("Actions in the audit log."),
  events: named(
    "events",
    z.strictObject({
      permission: z.string().describe("The permission of the manifest that is needed to read it."),
      text: text.describe("When it is written."),
    }),
  )
    .default({})
    .describe("Events for webhooks and the list of events."),
  notifications: named(
    "notifications",
    z.strictObject({
      text: text.describe("What it says; `{word}` stands for a value of the data."),
      link: path.default("/").describe("Where it leads, below `url`; `{word}` as in the text."),
      mail: z.boolean().default(false).describe("Whether a mail is sent as well."),
    }),
  )
    .default({})
    .describe("Notifications of people."),
  pages: z
    .array(
      z.strictObject({
        path: path.describe("Where it is, below `url`."),
        text: text.describe("What the menu says."),
        permission: z.string().describe("Who sees it: a permission of the manifest."),
        feature: z
          .string()
          .optional()
          .describe("Organizations with this feature of the manifest; absent: all."),
      }),
    )
    .max(MAX_PAGES)
    .default([])
    .describe("Pages in the menu of the web console, in this order."),
});

/** A manifest without faults. Texts are there in each language, and `url` has no slash at its end. */
export type Product = z.output<typeof Manifest>;

/** Returns the JSON schema of manifests, for editors. */
export const manifestSchema = () => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "The manifest of a product",
  ...z.toJSONSchema(Manifest, { io: "input" }),
});
