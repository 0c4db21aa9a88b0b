import { getRouteApi } from "@tanstack/react-router";
import { ApiError } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { memberTexts } from "../../texts/members.ts";
import { EventList } from "../../ui/audit/event-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Segments } from "../../ui/segments.tsx";
import { useLinkedNames } from "../audit/linked-names.ts";
import { NotInPlan } from "../audit/page.tsx";
import { MemberFrame } from "./frame.tsx";

const route = getRouteApi("/authenticated/members/$userId/activity");

export function MemberActivity() {
  const texts = useTexts(memberTexts);
  const { userId } = route.useParams();
  const mayRead = useCan("Audit.Read");
  return (
    <MemberFrame userId={userId} part={texts.activity}>
      {() => (mayRead ? <Events userId={userId} /> : <EmptyState text={texts.noAudit} />)}
    </MemberFrame>
  );
}

type View = "by" | "about";

function Events({ userId }: { userId: string }) {
  const texts = useTexts(memberTexts);
  const view: View = route.useSearch().view === "about" ? "about" : "by";
  const list = useList("GET /api/organization/audit-events", {
    sort: "time",
    order: "desc",
    ...(view === "by" ? { actorId: userId } : { targetType: "user" as const, targetId: userId }),
  });
  const names = useLinkedNames(list.rows ?? []);
  if (list.error instanceof ApiError && list.error.code === "PLAN_FEATURE_REQUIRED") return <NotInPlan />;
  return (
    <>
      <Segments<View>
        label={texts.changedRecords}
        options={[
          { value: "by", label: texts.byMember },
          { value: "about", label: texts.aboutMember },
        ]}
        value={view}
        onChange={(next) => list.show({ view: next === "by" ? undefined : next })}
      />
      <EventList
        label={texts.activity}
        list={list}
        names={names}
        logPath="/audit"
        empty={<EmptyState icon="list" text={view === "by" ? texts.noActivityAbout : texts.noEventsAbout} />}
      />
    </>
  );
}
