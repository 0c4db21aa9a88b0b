import { generator } from "../../src/dev/client/generator.ts";

/** Returns the TypeScript declarations that openapi-typescript generates from an OpenAPI document. */
export async function typesOf(document: object): Promise<string> {
  const { openapiTypescript, astToString } = await generator();
  return astToString(await openapiTypescript(document as never));
}
