/*
 * What a feature imports from the service: README.md explains each word. Features import nothing else from core and platform
 * but the rooms that README.md names.
 */

export * from "./call.ts";
export * from "./config.ts";
export * from "./effects.ts";
export * from "./feature.ts";
export * from "./fields.ts";
export * from "./limits.ts";
export * from "./list.ts";
export * from "./manifest.ts";
export * from "./reach.ts";
export * from "./route.ts";
export * from "./secrets.ts";
export * from "./write.ts";
