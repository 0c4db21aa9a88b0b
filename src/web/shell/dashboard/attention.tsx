import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Icon, type IconName } from "../../lib/icons.tsx";
import { useLimitNames } from "../../lib/limit-names.ts";
import { present } from "../../lib/present.ts";
import { dashboardTexts } from "../../texts/dashboard.ts";
import { LinkButton } from "../../ui/link-button.tsx";

type Item = {
  readonly tone: "bad" | "warn" | "info";
  readonly icon: IconName;
  readonly text: string;
  readonly to: string;
  readonly search?: Record<string, string>;
  readonly action: string;
};

export function Attention({ overview }: { overview: Schemas["OrganizationOverview"] }) {
  const texts = useTexts(dashboardTexts);
  const items = useItems(overview);
  if (items.length === 0) return null;
  return (
    <section className="panel" aria-label={texts.attention}>
      <ul className="plain-list attention">
        {items.map(({ tone, icon, text, to, search, action }) => (
          <li key={text}>
            <span className="tone" data-tone={tone}>
              <Icon name={icon} size={16} />
            </span>
            <span className="grow">{text}</span>
            <LinkButton to={to} search={search ?? {}} variant="default" size="compact-sm">
              {action}
            </LinkButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useItems({ needsAttention, plan }: Schemas["OrganizationOverview"]): Item[] {
  const texts = useTexts(dashboardTexts);
  const limitName = useLimitNames();
  const { number, date, ago } = useFormat();
  const {
    waitingTickets,
    expiringInvitations,
    membersWithoutSecondFactor,
    limitsNearlyReached,
    trialEndsAt,
    failingWebhooks,
    expiringKeys,
  } = needsAttention;
  const counted = (count: number | null, item: (count: string) => Item) =>
    count !== null && count > 0 && item(number(count));
  return present<Item>([
    counted(waitingTickets, (count) => ({
      tone: "bad",
      icon: "clock",
      text: texts.waiting(count),
      to: "/helpdesk/tickets",
      action: texts.openInbox,
    })),
    counted(failingWebhooks, (count) => ({
      tone: "bad",
      icon: "webhook",
      text: texts.webhooks(count),
      to: "/webhooks",
      action: texts.showWebhooks,
    })),
    ...(limitsNearlyReached ?? []).map(({ limit, used, max }): Item => {
      const day = plan?.limits.find((one) => one.limit === limit)?.reachedOn ?? null;
      const [name, part, whole] = [limitName(limit), number(used), number(max)];
      const isReached = day === null || used >= max;
      return {
        tone: "warn",
        icon: "card",
        text: isReached ? texts.nearly(name, part, whole) : texts.nearlyOn(name, part, whole, date(day)),
        to: "/billing",
        action: texts.comparePlans,
      };
    }),
    counted(membersWithoutSecondFactor, (count) => ({
      tone: "warn",
      icon: "shield",
      text: texts.withoutFactor(count),
      to: "/members",
      search: { twoFactor: "off" },
      action: texts.showMembers,
    })),
    counted(expiringKeys, (count) => ({
      tone: "warn",
      icon: "key",
      text: texts.keys(count),
      to: "/service-accounts",
      action: texts.showKeys,
    })),
    counted(expiringInvitations, (count) => ({
      tone: "info",
      icon: "mail",
      text: texts.expiring(count),
      to: "/invitations",
      action: texts.showInvitations,
    })),
    trialEndsAt !== null && {
      tone: "info",
      icon: "card",
      text: texts.trialEnds(ago(trialEndsAt)),
      to: "/billing",
      action: texts.choosePlan,
    },
  ]);
}
