/**
 * The WebAssembly of the `argon2id` package: `bun run build:edge` places it next to the bundle, and workerd compiles
 * it.
 */
declare const module: WebAssembly.Module;
export default module;
