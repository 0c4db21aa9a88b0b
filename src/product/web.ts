/**
 * The areas of the product's features in the console, sorted as in the main menu. No later version of the service changes
 * this file.
 */
export const productAreas = [] as const;
