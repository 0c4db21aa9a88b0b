import { Badge, Button, Group, Input, List, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { billingTexts } from "../../texts/billing.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Part } from "../../ui/parts.tsx";
import { Segments } from "../../ui/segments.tsx";
import { useFeatureNames } from "./feature-names.ts";

type Plan = Schemas["Billing"]["plans"][number];
type Interval = Schemas["CheckoutBody"]["interval"];

export function Plans({ billing }: { billing: Schemas["Billing"] }) {
  const texts = useTexts(billingTexts);
  const client = useClient();
  const mayBuy = useCan("Billing.Create", null);
  const mayChange = useCan("Billing.Update", null);
  const intervals = (["month", "year"] as const).filter((one) =>
    billing.plans.some((plan) => plan.intervals.includes(one)),
  );
  const [chosen, setInterval] = useState<Interval>("month");
  const interval = intervals.includes(chosen) ? chosen : intervals[0];
  const checkout = useAction({
    run: (plan: string, idempotencyKey) =>
      client.request("POST /api/organization/billing/checkout", {
        body: { plan, interval: interval ?? "month" },
        // A checkout with another interval is a different request, so it needs a different idempotency key.
        idempotencyKey: `${idempotencyKey}-${interval}`,
      }),
    onDone: ({ url }) => location.assign(url),
  });
  const isSubscribed = isLive(billing.subscription);
  const upgrade = useAction({
    run: (plan: string, idempotencyKey) =>
      client.request("POST /api/organization/billing/portal", { body: { plan }, idempotencyKey }),
    onDone: ({ url }) => location.assign(url),
  });
  // The API rejects a second subscription. An existing subscription is changed at the payment provider.
  const canBuy = mayBuy && billing.configured && !isSubscribed;
  const canChange = mayChange && billing.configured && isSubscribed;
  return (
    <Part title={texts.plans}>
      <Stack>
        {!billing.configured && <Text size="sm">{texts.notConfigured}</Text>}
        {canBuy && intervals.length > 1 && (
          <Input.Wrapper label={texts.interval} labelElement="div">
            <div>
              <Segments
                label={texts.interval}
                options={intervals.map((one) => ({ value: one, label: texts[one] }))}
                value={interval ?? "month"}
                onChange={setInterval}
              />
            </div>
          </Input.Wrapper>
        )}
        <ErrorAlert error={checkout.error ?? upgrade.error} />
        {billing.plans.length === 0 && <EmptyState text={texts.noPlans} />}
        <div className="cards">
          {billing.plans.map((plan) => (
            <PlanCard
              key={plan.key}
              plan={plan}
              isCurrent={billing.plan?.key === plan.key}
              onChoose={
                canBuy && interval !== undefined && plan.intervals.includes(interval)
                  ? () => checkout.run(plan.key)
                  : undefined
              }
              canBuy={Boolean(canBuy)}
              onChange={
                canChange && billing.subscription?.plan !== plan.key ? () => upgrade.run(plan.key) : undefined
              }
              interval={interval ?? "month"}
              onInterval={setInterval}
              isRunning={checkout.isRunning || upgrade.isRunning}
              labels={billing.limits}
            />
          ))}
        </div>
      </Stack>
    </Part>
  );
}

type CardProps = {
  plan: Plan;
  isCurrent: boolean;
  onChoose: (() => void) | undefined;
  /** Changes the live subscription to this plan. */
  onChange: (() => void) | undefined;
  interval: Interval;
  onInterval: (interval: Interval) => void;
  canBuy: boolean;
  isRunning: boolean;
  labels: Schemas["Billing"]["limits"];
};

function PlanCard({
  plan,
  isCurrent,
  onChoose,
  onChange,
  interval,
  onInterval,
  canBuy,
  isRunning,
  labels,
}: CardProps) {
  const texts = useTexts(billingTexts);
  const featureName = useFeatureNames();
  const { number, money } = useFormat();
  const price = plan.prices?.find((one) => one.interval === interval) ?? plan.prices?.[0];
  const other = plan.intervals[0];
  const limits: Readonly<Record<string, number | null | undefined>> = plan.limits;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm" h="100%">
        <Group justify="space-between">
          <Title order={3} size="h4" className="break">
            {plan.name}
          </Title>
          {isCurrent && <Badge variant="outline">{texts.current}</Badge>}
        </Group>
        {price?.amount != null && (
          <Text size="sm">
            <Text span fw={600} size="xl">
              {money(price.amount, price.currency)}
            </Text>{" "}
            {texts[price.interval === "month" ? "perMonth" : "perYear"]}
          </Text>
        )}
        <List size="sm" spacing={4} flex={1}>
          {labels.map(({ name, label }) => (
            <List.Item key={name}>
              {texts.limitOf(label, limits[name] == null ? texts.noLimit : number(limits[name]))}
            </List.Item>
          ))}
          {plan.features.map((feature) => (
            <List.Item key={feature}>{featureName(feature)}</List.Item>
          ))}
        </List>
        {canBuy && onChoose === undefined && other !== undefined && (
          <Button variant="default" onClick={() => onInterval(other)}>
            {texts.only(texts[other].toLowerCase())}
          </Button>
        )}
        {onChange !== undefined && (
          <Button variant="default" disabled={isRunning} onClick={onChange}>
            {texts.changeTo(plan.name)}
          </Button>
        )}
        {onChoose !== undefined && (
          <Button variant={isCurrent ? "default" : "filled"} disabled={isRunning} onClick={onChoose}>
            {texts.choose(plan.name)}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

const LIVE = new Set(["active", "trialing", "past_due"]);

/** Whether the subscription is live. Others give no plan, and do not renew. */
export const isLive = (subscription: Schemas["Billing"]["subscription"]) =>
  subscription !== null && LIVE.has(subscription.status);
