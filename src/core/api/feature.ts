import type { z } from "@hono/zod-openapi";
import type { ConfigSection } from "../../platform/environment.ts";
import type { JobKind } from "../../platform/jobs/queue.ts";
import type { PermissionEntry } from "../access/catalog.ts";
import type { Config } from "../config.ts";
import type { Service } from "../context.ts";
import type { LimitRow } from "../definitions/limits.ts";
import type { LimitEntry } from "../definitions/plan-names.ts";
import type { AuditEntry, TargetKind } from "../effects/audit-entry.ts";
import type { EventEntry } from "../effects/event-types.ts";
import type { MailTemplate } from "../effects/mail.ts";
import type { Ends, Holds } from "../ends.ts";
import type { OverviewPart } from "../overview.ts";
import type { PersonalFile } from "../personal-data.ts";
import type { RetentionQuery } from "../retention.ts";
import type { Router } from "./router.ts";
import type { CallerKind } from "./steps/authenticate.ts";
import type { Tool } from "./tool.ts";

type ByName<Entry> = { readonly [name: string]: Entry };

/** What a feature declares by name. Its `interface Features` makes types of these names, so nothing here refers to such a type. */
export type Declarations = {
  /** Permissions with their scope and text; `"member"` adds one to the built-in role `MEMBER`. */
  permissions?: ByName<PermissionEntry>;
  /** Plan limits: how the records of an organization are counted, and what the limit is called. */
  limits?: ByName<LimitEntry>;
  /** Features that a plan may have. */
  planFeatures?: ByName<true>;
  /** Events for other systems. */
  events?: ByName<Named<EventEntry, "permission">>;
  /** Audited actions. */
  audit?: ByName<Named<AuditEntry, "target">>;
  /** Types of records that audit events are about, and whom such an event concerns. */
  targets?: ByName<TargetKind>;
  /** Types of notifications, with the schemas of their data. */
  notifications?: ByName<z.ZodObject>;
  /** Kinds of mails, with their texts. */
  mails?: ByName<MailTemplate>;
};
type Named<Entry, Name extends keyof Entry> = Omit<Entry, Name> & { readonly [N in Name]: string };

/** What the service knows of a feature. Each feature has one, in its `feature.ts`; src/app/features.ts lists them. */
export type Feature = Declarations & {
  events?: ByName<EventEntry>;
  audit?: ByName<AuditEntry>;
  /** Figures of the organization's overview. */
  overview?: ByName<OverviewPart>;
  /** Files of the export of an account's data. */
  personalData?: ByName<PersonalFile>;
  /** Kinds of callers, by the access of the routes that are for them alone. */
  callers?: ByName<CallerKind>;
  /** Tags of the OpenAPI document, with their descriptions. */
  tags?: ByName<string>;
  /** The routes, in their order in the OpenAPI document. If two paths match, the first one wins. */
  routes?: readonly Router[];
  /** Routes that do not exist in production. */
  developmentRoutes?: readonly Router[];
  /** Tools for agents, beside those of the service (rules 46.67). */
  tools?: readonly Tool[];
  /** What its records keep from ending. */
  holds?: Holds;
  /** What it does when an organization, a unit, a membership or an account ends to which its records belong. */
  ends?: Ends;
  /** The configuration that it reads from environment variables; its type joins `Config` by declaration merging. */
  // biome-ignore lint/suspicious/noExplicitAny: sections differ in their variables
  config?: ConfigSection<any, object>;
  /** Kinds of jobs: queued ones and scheduled ones. */
  jobs?: readonly JobKind<Service>[];
  /** Limits against abuse, which src/app/limits.ts joins and docs/limits.md shows. */
  abuseLimits?: ByName<LimitRow>;
  /** Queries that delete expired rows, run once a day in batches. */
  retention?: readonly RetentionQuery[] | ((config: Config) => readonly RetentionQuery[]);
};

/**
 * Declares a feature: returns the same object and keeps its types.
 * @example export const notes = feature({ ...declarations, routes: [noteRoutes] });
 */
export const feature = <const F extends Feature>(parts: F): F => parts;
