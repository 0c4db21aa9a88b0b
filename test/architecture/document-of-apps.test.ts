import { expect, test } from "bun:test";
import { sharedService } from "../support/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
type Json = any;

const t = await sharedService();
const document: Json = (await t.anonymous().get("/api/docs-json")).body;

test("an operation says whether apps may call it, with which scope, and how they authenticate", () => {
  const { appUrl, apiUrl } = t.running.app.config;
  const { authorizationCode, ...otherFlows } = document.components.securitySchemes.oauth2.flows;
  const { scopes, ...addresses } = authorizationCode;
  expect(otherFlows).toEqual({});
  expect(addresses).toEqual({
    authorizationUrl: `${appUrl}/authorize`,
    tokenUrl: `${apiUrl}/api/oauth/token`,
    refreshUrl: `${apiUrl}/api/oauth/token`,
  });
  const needNone: string[] = [];
  const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods));
  for (const operation of operations) {
    const { operationId, "x-apps": isForApps, "x-scope": scope = null, security } = operation;
    const wanted = isForApps && operation["x-access"] !== "public";
    const byApps = security.filter((scheme: Json) => scheme.oauth2);
    expect([operationId, byApps]).toEqual([
      operationId,
      wanted ? [{ oauth2: scope === null ? [] : [scope] }] : [],
    ]);
    if (scope !== null) expect(Object.keys(scopes)).toContain(scope);
    else if (wanted) needNone.push(operationId);
  }
  expect(needNone.sort()).toEqual(["getOwnConnectedApp", "listPermissions"]);
});
