import type { ConnectionError, Schemas } from "../../client/index.ts";
import * as el from "../texts/el/errors.ts";
import * as en from "../texts/en/errors.ts";
import { dictionary } from "./i18n.tsx";

type Code = Schemas["ErrorCode"] | ConnectionError["code"];

export const errorTexts = dictionary(en.errorTexts satisfies Record<Code, string>, el.errorTexts);
