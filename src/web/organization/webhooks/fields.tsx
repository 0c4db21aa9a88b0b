import { MultiSelect, TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useDeclaredNames } from "../../lib/features.ts";
import type { ApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { eventTexts, webhookTexts } from "../../texts/webhooks.ts";
import { FilterSelect } from "../../ui/filter-select.tsx";

/** The type of test events, which no endpoint can choose. */
const TEST = "webhook.test";

export function useEventTypes() {
  const { data, error, refetch } = useApiQuery(
    "GET /api/webhooks/event-types",
    {},
    { staleTime: Number.POSITIVE_INFINITY },
  );
  return { types: (data ?? []).map(({ type }) => type).filter((type) => type !== TEST), error, refetch };
}

/** Returns a function that labels a type of events. Types of the product have a text, too. */
export function useEventTypeLabels(): (type: string) => string {
  const texts = new Map(Object.entries(useDeclaredNames("eventTypes")));
  return (type) => [type, texts.get(type)].filter((part) => part !== undefined).join(" · ");
}

type FilterProps = {
  readonly type: string | undefined;
  readonly onChange: (type: string | undefined) => void;
};

export function EventTypeFilter({ type, onChange }: FilterProps) {
  const texts = useTexts(eventTexts);
  const { types } = useEventTypes();
  const labelOf = useEventTypeLabels();
  return (
    <FilterSelect
      label={texts.type}
      placeholder={texts.anyType}
      searchable
      data={types.map((value) => ({ value, label: labelOf(value) }))}
      value={type}
      onChange={onChange}
    />
  );
}

/** The types that the form offers are those that the service names. */
export type EventTypes = Schemas["CreateWebhookEndpointBody"]["eventTypes"];
type Values = { url: string; eventTypes: string[]; description: string };

export function EndpointFields({ form, types }: { form: ApiForm<Values>; types: readonly string[] }) {
  const texts = useTexts(webhookTexts);
  const labelOf = useEventTypeLabels();
  return (
    <>
      <TextInput
        type="url"
        label={texts.url}
        description={texts.urlAbout}
        autoComplete="off"
        {...form.field("url")}
      />
      <MultiSelect
        label={texts.eventTypes}
        description={texts.eventTypesAbout}
        data={[{ value: "*", label: texts.all }, ...types.map((value) => ({ value, label: labelOf(value) }))]}
        searchable
        {...form.field("eventTypes")}
      />
      <TextInput
        label={texts.description}
        description={texts.descriptionAbout}
        maxLength={500}
        {...form.field("description")}
      />
    </>
  );
}
