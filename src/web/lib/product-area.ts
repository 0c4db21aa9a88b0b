import type { BothTexts } from "../texts/dictionary.ts";
import type { ConsoleFeature } from "./features.ts";
import { product } from "./product.ts";

/** Returns names of entities: the product's name, followed by the entity if there are several. */
function entitiesOf({ name, permissions }: NonNullable<typeof product>) {
  const entities = [...new Set(Object.keys(permissions).map((permission) => permission.split(".")[0] ?? ""))];
  const of = (entity: string, text: string) => (entities.length === 1 ? text : `${text}: ${entity}`);
  return Object.fromEntries(
    entities.map((entity) => [entity, { en: of(entity, name.en), el: of(entity, name.el) }]),
  );
}

/** Returns the short name of an action: its text with an ellipsis for each value. */
const shortened = ({ en, el }: BothTexts): BothTexts => ({ en: withoutValues(en), el: withoutValues(el) });
const withoutValues = (text: string) => text.replace(/\{[A-Za-z]\w*\}/g, "…");

export const productAreas: readonly ConsoleFeature[] =
  product === null
    ? []
    : [
        {
          routes: [],
          menu: [],
          permissions: product.permissions,
          entities: entitiesOf(product),
          limits: product.limits,
          planFeatures: product.features,
          eventTypes: product.events,
          audit: Object.fromEntries(
            Object.entries(product.audit).map(([action, text]) => [action, { name: shortened(text), text }]),
          ),
        },
      ];
