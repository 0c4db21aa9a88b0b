/* The product whose code runs elsewhere, and the texts of its manifest. */

export { fill } from "../core/manifest/fill.ts";
