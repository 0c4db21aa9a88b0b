import type { ReactNode } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionPageTexts } from "../../texts/sign-on-connections.ts";
import { Page } from "../../ui/page.tsx";
import { PendingPage } from "../../ui/pending.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { ConnectionActions } from "./connection-actions.tsx";

type Connection = Schemas["Connection"];
type Props = {
  readonly connectionId: string;
  /** The name of the tab; the first tab needs none. */
  readonly part?: string;
  readonly children: (connection: Connection) => ReactNode;
};

const Back = () => <TextLink to="/settings/sign-on">{useTexts(connectionPageTexts).back}</TextLink>;

export function ConnectionFrame({ connectionId, part, children }: Props) {
  const texts = useTexts(connectionPageTexts);
  const maySeePeople = useCan("Members.Read", null) === true;
  const query = useApiQuery("GET /api/organization/connections/{id}", { path: { id: connectionId } });
  const { data } = query;
  if (data === undefined) return <PendingPage title={texts.back} of={query} actions={<Back />} />;
  const path = `/settings/sign-on/${connectionId}`;
  return (
    <Page title={data.name} part={part} about={<About of={data} />} actions={<ConnectionActions of={data} />}>
      <Back />
      <Tabs
        label={data.name}
        tabs={[
          { to: path, label: texts.settings },
          { to: `${path}/groups`, label: texts.groups, count: data.mappingCount },
          maySeePeople && { to: `${path}/people`, label: texts.people, count: data.identityCount },
        ]}
      />
      {children(data)}
    </Page>
  );
}

function About({ of: { createdAt, createdBy } }: { of: Connection }) {
  const texts = useTexts(connectionPageTexts);
  const { date } = useFormat();
  return createdBy === null
    ? texts.created(date(createdAt))
    : texts.createdBy(date(createdAt), createdBy.email);
}
