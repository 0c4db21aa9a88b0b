import { Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { billingTexts } from "../../texts/billing.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
import { Limits } from "../shared/limits.tsx";
import { useFeatureNames } from "./feature-names.ts";
import { isLive, Plans } from "./plans.tsx";
import { BillingTabs } from "./tabs.tsx";

const route = getRouteApi("/authenticated/billing");

const POLL_MS = 2_000;
/** The time in which the payment provider's webhook usually arrives. */
const MAX_WAIT_MS = 60_000;

/**
 * The page with the plan, its usage, and the plans that can be bought. The payment provider redirects here after a
 * checkout.
 */
export function BillingPage() {
  const texts = useTexts(billingTexts);
  const { checkout } = route.useSearch();
  const [isPatient, setPatient] = useState(checkout === "success");
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  const query = useApiQuery(
    "GET /api/organization/billing",
    {},
    // Refetches the subscription after a checkout, until the payment provider's webhook has updated it.
    {
      refetchInterval: ({ state }) => (isPatient && !state.data?.subscription ? POLL_MS : false),
    },
  );
  const { data } = query;
  return (
    <Page title={texts.billing}>
      <BillingTabs />
      {checkout !== undefined && (
        <div role="status">
          {checkout === "success" && (
            <Alert color="green" variant="outline" className="alert-text" title={texts.success}>
              {data?.subscription === null && isPatient && texts.waiting}
            </Alert>
          )}
          {checkout === "canceled" && <Alert variant="outline">{texts.canceledCheckout}</Alert>}
        </div>
      )}
      <Pending of={query} height={240} />
      {data !== undefined && !data.enabled && <Text>{texts.off}</Text>}
      {data?.enabled && (
        <>
          <div className="cards cards-wide">
            <CurrentPlan billing={data} />
            <Section title={texts.usage}>
              <Limits of={data.limits} />
            </Section>
          </div>
          <Plans billing={data} />
        </>
      )}
    </Page>
  );
}

/** Returns texts by key. Values without a text are shown unchanged, because the API may add new values. */
const useNames = () => useTexts(billingTexts) as unknown as Readonly<Record<string, string | undefined>>;

function CurrentPlan({ billing }: { billing: Schemas["Billing"] }) {
  const texts = useTexts(billingTexts);
  const names = useNames();
  const featureName = useFeatureNames();
  const { date } = useFormat();
  const client = useClient();
  const mayManage = useCan("Billing.Update", null);
  const { plan, trialEndsAt, subscription, features } = billing;
  const portal = useAction({
    run: (_, idempotencyKey) =>
      client.request("POST /api/organization/billing/portal", { body: {}, idempotencyKey }),
    onDone: ({ url }) => location.assign(url),
  });
  if (plan === null) return null;
  return (
    <Section title={texts.yourPlan}>
      <Stack gap="xs">
        <Group gap="xs">
          <Text fw={700} size="lg">
            {plan.name}
          </Text>
          <Badge variant="default" tt="none">
            {names[plan.source] ?? plan.source}
          </Badge>
        </Group>
        {plan.source === "trial" && trialEndsAt !== null && (
          <Text size="sm">{texts.trialEnds(date(trialEndsAt))}</Text>
        )}
        {subscription !== null && <Subscription of={subscription} />}
        {features.length > 0 && (
          <Text size="sm">{`${texts.features}: ${features.map(featureName).join(", ")}`}</Text>
        )}
        {mayManage && billing.configured && subscription !== null && (
          <>
            <div>
              <Button variant="default" loading={portal.isRunning} onClick={() => portal.run()}>
                {texts.manage}
              </Button>
            </div>
            <Hint size="xs">{texts.manageAbout}</Hint>
            <ErrorAlert error={portal.error} />
          </>
        )}
      </Stack>
    </Section>
  );
}

function Subscription({ of }: { of: NonNullable<Schemas["Billing"]["subscription"]> }) {
  const texts = useTexts(billingTexts);
  const names = useNames();
  const { date } = useFormat();
  const { status, interval, currentPeriodEnd, cancelAtPeriodEnd } = of;
  const parts = [names[status] ?? status, ...(interval === null ? [] : [names[interval] ?? interval])];
  return (
    <>
      <Text size="sm">{`${texts.status}: ${parts.join(", ")}`}</Text>
      {currentPeriodEnd !== null && isLive(of) && (
        <Text size="sm">{(cancelAtPeriodEnd ? texts.ends : texts.renews)(date(currentPeriodEnd))}</Text>
      )}
    </>
  );
}
