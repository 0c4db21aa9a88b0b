import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { deliveryTexts } from "../../texts/webhooks.ts";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { EventTypeFilter } from "./fields.tsx";

export type DeliveryFilter = { readonly state?: string | undefined; readonly type?: string | undefined };

type State = Schemas["WebhookDelivery"]["state"];
const STATES: readonly State[] = ["PENDING", "SUCCEEDED", "FAILED", "DISCARDED"];

/** Returns the filters of a request; an unknown state in the address is ignored. */
export function filterOf({ state, type }: DeliveryFilter) {
  const known = STATES.find((one) => one === state);
  return { ...(known && { state: [known] }), ...(type !== undefined && { type: [type as never] }) };
}

type Props = { readonly filter: DeliveryFilter; readonly onChange: (filter: DeliveryFilter) => void };

export function DeliveryFilters({ filter, onChange }: Props) {
  const texts = useTexts(deliveryTexts);
  return (
    <>
      <FilterSelect
        label={texts.state}
        placeholder={texts.anyState}
        data={STATES.map((value) => ({ value, label: texts[value] }))}
        value={STATES.find((one) => one === filter.state)}
        onChange={(state) => onChange({ state })}
      />
      <EventTypeFilter type={filter.type} onChange={(type) => onChange({ type })} />
    </>
  );
}
