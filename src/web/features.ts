import type { ConnectionError, Schemas } from "../client/index.ts";
import { productAreas } from "../product/web.ts";
import { helpdesk } from "./helpdesk/feature.ts";
import { compose } from "./lib/features.ts";
import { productAreas as ofManifest } from "./lib/product-area.ts";
import { organization } from "./organization/feature.ts";
import { platform } from "./platform/feature.ts";
import type { BothTexts } from "./texts/dictionary.ts";
import type { errorTexts } from "./texts/errors.ts";
import { todos } from "./todos/feature.ts";

export const features = [todos, helpdesk, organization, platform, ...productAreas] as const;

type Area = (typeof features)[number];
type OwnErrors = Area extends infer One
  ? One extends { errors: infer Errors }
    ? keyof Errors
    : never
  : never;
type Code = Schemas["ErrorCode"] | ConnectionError["code"];
/** Error codes without a text: neither `texts/errors.ts` has one nor `errors` of an area. There must be none. */
type Untold = Exclude<Code, keyof (typeof errorTexts)["en"] | OwnErrors>;
({}) satisfies Record<Untold, BothTexts>;

compose([...features, ...ofManifest]);
