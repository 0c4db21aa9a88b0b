/** The areas of the product's features in the console, in the order of the menu. No later version of the service changes this file. */
export const productAreas = [] as const;
