/* Imports only the limiter in memory: the package's main file also loads its 30 other stores. */
export { default as RateLimiterMemory } from "rate-limiter-flexible/lib/RateLimiterMemory.js";
export { default as RateLimiterRes } from "rate-limiter-flexible/lib/RateLimiterRes.js";
