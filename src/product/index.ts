/**
 * The features of the product that is built on this service, each in its own folder here. They follow the service's own in
 * the OpenAPI document. No later version of the service changes this file.
 */
export const product = [] as const;
