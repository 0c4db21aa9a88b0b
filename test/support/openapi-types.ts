import { generator } from "../../src/dev/client/generator.ts";

/** The TypeScript of an OpenAPI document, as openapi-typescript writes it. */
export async function typesOf(document: object): Promise<string> {
  const { openapiTypescript, astToString } = await generator();
  return astToString(await openapiTypescript(document as never));
}
