import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/permissions.ts";
import * as en from "../texts/en/permissions.ts";

export const permissionTexts = dictionary(en.permissionTexts, el.permissionTexts);

/** Names of entities by the part of a permission's name before the dot. */
export const entityTexts = dictionary(en.entityTexts, el.entityTexts);
