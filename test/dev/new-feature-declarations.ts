import { join } from "node:path";

/**
 * Edits of a generated resource `invoices`, as docs/extend.md describes them: a plan limit, an event, an audited action, a
 * notification and a mail, with the console's half of each and a test. Only files of the resource change.
 */
const EDITS: [file: string, ...replacements: [before: string, after: string][]][] = [
  [
    "sql/product/invoices.sql",
    [
      "/* @name updateInvoice */",
      `/* @name countAllInvoices */
SELECT count(*)::int AS "count!" FROM invoices WHERE organization_id = :organizationId! AND NOT is_deleted;

/* @name listInvoiceChanges */
SELECT * FROM @changes_per_day(invoices);

/* @name updateInvoice */`,
    ],
  ],
  [
    "src/product/invoices/feature.ts",
    [
      "import {",
      'import { z } from "@hono/zod-openapi";\nimport { eventsAbout, exactlyOne, textExample, uuid,',
    ],
    ["import { exportInvoices }", "import { countAllInvoices, exportInvoices, listInvoiceChanges }"],
    [
      'import { invoiceRoutes } from "./routes.ts";',
      'import { invoiceRoutes } from "./routes.ts";\nimport { Invoice } from "./schemas.ts";\n\nconst title = textExample("First").describe("The title of the invoice.");',
    ],
    [
      "} as const satisfies Declarations",
      `  limits: {
    invoices: {
      count: async (db, organizationId) => exactlyOne(await countAllInvoices.run({ organizationId }, db)).count,
      changes: (db, period) => listInvoiceChanges.run(period, db),
      text: { en: "Invoices", el: "Τιμολόγια" },
    },
  },
  events: eventsAbout(Invoice, "Invoices.ReadAny", { "invoice.created": "An invoice was created." }),
  targets: { invoice: "person" },
  audit: { INVOICE_CREATED: { target: "invoice", metadata: z.object({ title }) } },
  notifications: { INVOICE_CREATED: z.object({ invoiceId: uuid.describe("The id of the invoice."), title }) },
  mails: {
    invoiceCreated: ({ title }: { title: string }) => ({
      en: { subject: "Your invoice", paragraphs: [title] },
      el: { subject: "Το τιμολόγιό σας", paragraphs: [title] },
    }),
  },
} as const satisfies Declarations`,
    ],
  ],
  [
    "src/product/invoices/routes.ts",
    ["import {", "import { planLimitReached,"],
    ["  idempotent: true,", "  idempotent: true,\n  errors: [planLimitReached],"],
  ],
  [
    "src/product/invoices/service.ts",
    ["import {", "import { assertWithinLimit, audit, event, findRecipient, mail, notify,"],
    [
      "  const [created] =",
      '  await assertWithinLimit(tx, { organizationId, limit: "invoices" });\n  const [created] =',
    ],
    [
      '  return present(await findInvoice(tx, created.id, "Invoices.ReadAny", tx.db));',
      `  const invoice = present(await findInvoice(tx, created.id, "Invoices.ReadAny", tx.db));
  const { id, userId, createdAt } = invoice;
  await event(tx, "invoice.created", { organizationId, id, object: invoice, reach: { userId, createdAt } });
  const target = { type: "invoice", id, personId: userId } as const;
  await audit(tx, "INVOICE_CREATED", { organizationId, target, metadata: { title } });
  await notify(tx, userId, "INVOICE_CREATED", { invoiceId: id, title });
  const recipient = await findRecipient(tx, userId);
  if (recipient !== null) {
    const { email: to, language } = recipient;
    await mail(tx, { kind: "invoiceCreated", to, language, data: { title } });
  }
  return invoice;`,
    ],
  ],
  [
    "src/product/invoices/web/feature.ts",
    [
      "  entities:",
      `  limits: { invoices: { en: "Invoices", el: "Τιμολόγια" } },
  eventTypes: { "invoice.created": { en: "An invoice was created", el: "Νέο τιμολόγιο" } },
  audit: {
    INVOICE_CREATED: {
      name: { en: "Created an invoice", el: "Δημιουργία τιμολογίου" },
      text: { en: "{actor} created the invoice {title}", el: "Ο χρήστης {actor} δημιούργησε το τιμολόγιο {title}" },
    },
  },
  targets: { invoice: "list" },
  notifications: {
    INVOICE_CREATED: { text: { en: "“{title}” was created.", el: "Δημιουργήθηκε: {title}." }, page: "/invoices" },
  },
  entities:`,
    ],
  ],
  [
    "test/product/invoices/invoices.test.ts",
    [
      'import { createOrganization } from "../../support/organizations.ts";',
      'import { createOrganization } from "../../support/organizations.ts";\nimport { eventsOf } from "../../support/outgoing-events.ts";\nimport { planFiles } from "../../support/plans.ts";',
    ],
    [
      "const t = await startService();",
      `const planFile = planFiles();
const plan = { key: "free", limits: { invoices: 3 }, features: ["audit"], paid: false };
const t = await startService({ BILLING_PLANS_FILE: planFile({ plans: [plan], defaultPlan: "free" }) });

test("an invoice is counted for the plan, and creating it writes an event, an audit event, a notification and a mail", async () => {
  const org = await createOrganization(t);
  const member = await org.member();
  const events = await eventsOf(t, org.admin, () => create(member, "Written"));
  expect(events).toMatchObject([{ type: "invoice.created", data: { object: { title: "Written" } } }]);
  const audited = await org.admin.get("/api/organization/audit-events?action=INVOICE_CREATED");
  expect(audited.body.data).toMatchObject([{ targetType: "invoice", metadata: { title: "Written" } }]);
  const [newest] = (await member.get("/api/notifications")).body.data;
  expect(newest).toMatchObject({ type: "INVOICE_CREATED", data: { title: "Written" } });
  const mails = await t.mailTo(member.email);
  expect(mails.map(({ subject }) => subject)).toContain("Your invoice");
  for (const title of ["Second", "Third"]) await create(member, title);
  expect(outcome(await member.post("/api/invoices", { title: "Fourth" }))).toBe("403 PLAN_LIMIT_REACHED");
});
`,
    ],
  ],
];

/** Applies the edits to the resource in the copy of the repository. @throws Error if a place is missing */
export async function declareEverything(copy: string): Promise<void> {
  for (const [file, ...replacements] of EDITS) {
    const path = join(copy, file);
    let text = await Bun.file(path).text();
    for (const [before, after] of replacements) {
      if (!text.includes(before)) throw new Error(`${file} has no ${before}`);
      text = text.replace(before, () => after);
    }
    await Bun.write(path, text);
  }
}
