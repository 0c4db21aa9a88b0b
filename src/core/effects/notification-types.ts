import type { z } from "@hono/zod-openapi";
import { type AllOf, declared, type NameOf } from "../definitions/features.ts";

type Types = AllOf<"notifications">;
/** The name of a type of notification, which a feature declares with the schema of its data (rules 17.1, 17.4). */
export type NotificationType = NameOf<"notifications">;
export type NotificationData = {
  [Type in NotificationType]: Types[Type] extends infer Schema extends z.ZodObject ? z.output<Schema> : never;
};

/** Returns the schemas of the data of every type of notification. Clients render the text. */
export const notificationTypes = () => declared<z.ZodObject>("notifications") as Types;
