import { atOnce } from "#kit";

export const LIMITS = { streams: atOnce("17.8", "open streams of notifications", { user: { max: 10 } }) };
