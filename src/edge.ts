import { createEdge } from "./app/edge.ts";
import argon2 from "./argon2.wasm";

/** The entry for workerd, bundled by `bun run build:edge`. */
export default createEdge(argon2);
