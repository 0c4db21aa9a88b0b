import { productAreas } from "../product/web.ts";
import { helpdesk } from "./helpdesk/feature.ts";
import { compose } from "./lib/features.ts";
import { productAreas as ofManifest } from "./lib/product-area.ts";
import { organization } from "./organization/feature.ts";
import { platform } from "./platform/feature.ts";
import { todos } from "./todos/feature.ts";

/** The areas of the console, sorted as in the main menu. */
export const features = [todos, helpdesk, organization, platform, ...productAreas] as const;
compose([...features, ...ofManifest]);
