import { ApiError, defineError } from "../errors.ts";

export const tooManyImages = defineError(
  400,
  "TOO_MANY_IMAGES",
  "At most 5 images in a message, and 50 in a ticket",
);

export const malformedImage = defineError(400, "MALFORMED_IMAGE", "An image is damaged");

export const imageTooLarge = defineError(413, "IMAGE_TOO_LARGE", "An image may have 5 MB");

export const unsupportedImage = defineError(
  415,
  "UNSUPPORTED_IMAGE",
  "Images must be PNG, JPEG, WebP or GIF",
);

/** Of images, in a day. */
export const uploadQuotaExceeded = Object.assign(
  (retryAfterSeconds: number) =>
    new ApiError(429, "UPLOAD_QUOTA_EXCEEDED", "At most 100 MB of images in 24 hours", {
      retryAfterSeconds,
    }),
  { status: 429 as const, code: "UPLOAD_QUOTA_EXCEEDED" as const },
);
