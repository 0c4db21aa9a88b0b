import { endpoint, reply } from "../http/endpoint.ts";
import { presentUser } from "./present.ts";
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
    async (call) => reply(200, presentUser(await findOwnAccount(call))),
  ),
];
