import type { z } from "zod";
import { endpoint, reply } from "../http/endpoint.ts";
import { fromStored } from "../i18n/languages.ts";
import { User } from "./schemas.ts";
import { findOwnAccount } from "./service.ts";

export const profileEndpoints = [
  endpoint(
    {
      operationId: "getProfile",
      method: "get",
      path: "/api/profile",
      tag: "profile",
      summary: "Read one's own account",
      access: "signed-in",
      answers: { 200: { description: "The account", schema: User } },
    },
    async (call) => reply(200, present(await findOwnAccount(call))),
  ),
];

function present(user: Awaited<ReturnType<typeof findOwnAccount>>): z.output<typeof User> {
  return {
    id: user.id,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    language: fromStored(user.language),
    emailVerifiedAt: user.emailVerifiedAt?.toISOString() ?? null,
    isPlatformAdmin: user.isPlatformAdmin,
    twoFactorEnabled: user.hasTwoFactor,
    createdAt: user.createdAt.toISOString(),
  };
}
