import { MB } from "../../platform/limits/rows.ts";
import { LIMITS } from "../definitions/limits.ts";

/** Upload limits (rules 21.2), defined here once for errors, form readers and the helpdesk. */
export const MAX_IMAGES = 5;
export const MAX_IMAGE_MB = 5;
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * MB;
export const MAX_IMAGES_PER_TICKET = 50;
export const DAILY_QUOTA = LIMITS.imageBytes;
