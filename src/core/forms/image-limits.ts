/** Upload limits (rules 21.2), defined here once for errors, form readers and the helpdesk. */
export const MAX_IMAGES = 5;
export const MAX_IMAGE_MB = 5;
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * 1024 * 1024;
export const MAX_IMAGES_PER_TICKET = 50;
export const MAX_IMAGE_MB_PER_DAY = 100;
export const MAX_IMAGE_BYTES_PER_DAY = MAX_IMAGE_MB_PER_DAY * 1024 * 1024;
