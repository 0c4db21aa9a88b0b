import { defineError } from "../../platform/errors.ts";
import { LIMITS, MB } from "../definitions/limits.ts";

/** Upload limits (rules 21.2), defined here once for errors, form readers and the helpdesk. */
export const MAX_IMAGES = 5;
export const MAX_IMAGE_MB = 5;
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * MB;
export const MAX_IMAGES_PER_TICKET = 50;
export const DAILY_QUOTA = LIMITS.imageBytes;

export const tooManyImages = defineError(
  400,
  "TOO_MANY_IMAGES",
  `A message may have at most ${MAX_IMAGES} images, a ticket at most ${MAX_IMAGES_PER_TICKET}`,
);

export const malformedImage = defineError(400, "MALFORMED_IMAGE", "An image is damaged");

export const imageTooLarge = defineError(
  413,
  "IMAGE_TOO_LARGE",
  `An image may have at most ${MAX_IMAGE_MB} MB`,
);

/** The error for a file that is no accepted image. `type` is what it is; null if that is not known. */
export const unsupportedImage = defineError(
  415,
  "UNSUPPORTED_IMAGE",
  "Images must be PNG, JPEG, WebP or GIF",
  (type: string | null) =>
    type === null ? {} : { message: `Images must be PNG, JPEG, WebP or GIF; this file is ${type}` },
);

/** The error for a user whose daily upload quota for images is used up. */
export const uploadQuotaExceeded = defineError(
  429,
  "UPLOAD_QUOTA_EXCEEDED",
  `At most ${DAILY_QUOTA.points / MB} MB of images may be uploaded in 24 hours`,
  (retryAfterSeconds: number) => ({ retryAfterSeconds }),
);
