import { Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useApiQuery, useClient, useSession } from "../../client/react.ts";
import { consoleFeatures } from "../lib/features.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useRoleName } from "../lib/role-names.ts";
import { useSettings } from "../lib/settings.ts";
import { homeTexts } from "../texts/home.ts";
import { shellTexts } from "../texts/shell.ts";
import { Hint } from "../ui/hint.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Part } from "../ui/parts.tsx";
import { HomeActions, OrganizationDashboard } from "./dashboard/organization.tsx";
import { useHasSettled } from "./dashboard/use-has-settled.ts";
import { FirstSteps } from "./first-steps.tsx";
import { NotificationList } from "./notification-list.tsx";
import { useMayFound } from "./use-may-found.ts";
import { useOpenNotification } from "./use-open-notification.ts";

const PlatformDashboard = lazy(() => import("./dashboard/platform.tsx"));
// Loads the form for creating an organization only for users without one, because it would enlarge the first load
// of all others.
const NewOrganizationForm = lazy(() => import("./new-organization-form.tsx"));

// Loaded only for users whose organization binds them to its own sign-in.
const SignInThrough = lazy(() => import("./sign-in-through.tsx"));

// Loaded only for users who may join an organization.
const JoinableOrganizations = lazy(() => import("./joinable.tsx"));

const NEWS = 5;

export function Home() {
  const shell = useTexts(shellTexts);
  const texts = useTexts(homeTexts);
  const session = useSession();
  const roleName = useRoleName();
  const { list } = useFormat();
  const hasSettled = useHasSettled();
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const { data: settings } = useSettings();
  const { data: joinable = [] } = useApiQuery(
    "GET /api/auth/joinable-organizations",
    {},
    { enabled: settings?.sso === true, staleTime: 60_000 },
  );
  if (session.status !== "signed-in") return null;
  const { organization, isPlatformAdmin, roles } = session;
  const about = isPlatformAdmin ? texts.admin : organization && aboutPlace(organization.name);
  const joining = joinable.length > 0 && (
    <Suspense>
      <JoinableOrganizations of={joinable} />
    </Suspense>
  );
  function aboutPlace(name: string): string {
    return roles.length === 0 ? texts.youAre(name) : texts.youAreAs(name, list(roles.map(roleName)));
  }
  return (
    <Page
      title={profile === undefined ? shell.home : shell.welcome(profile.firstName)}
      about={about}
      actions={organization !== null && <HomeActions />}
    >
      {organization === null && !isPlatformAdmin && (
        <>
          {joining}
          <NoOrganization />
        </>
      )}
      {organization !== null && <OrganizationDashboard />}
      {isPlatformAdmin && (
        <Suspense>
          <PlatformDashboard />
        </Suspense>
      )}
      <div className="home-rest" hidden={!hasSettled}>
        {!isPlatformAdmin && <OwnRecords />}
        {organization !== null && joining}
        <div className="columns">
          <FirstSteps />
          <News />
        </div>
      </div>
    </Page>
  );
}

function NoOrganization() {
  const texts = useTexts(homeTexts);
  const { data: organizations, isPending } = useApiQuery("GET /api/auth/organizations");
  const mayFound = useMayFound();
  const canChoose = organizations?.some(({ status }) => status === "ACTIVE");
  const bound = (organizations ?? []).filter(
    ({ status, blockedBy }) => status === "ACTIVE" && blockedBy === "SSO_REQUIRED",
  );
  const suspended = organizations?.find(({ status }) => status === "SUSPENDED");
  if (isPending || mayFound === undefined) return null;
  if (!canChoose && suspended !== undefined)
    return (
      <div className="narrow">
        <Section title={texts.suspended(suspended.name)}>
          <Text size="sm">{texts.suspendedAbout}</Text>
        </Section>
      </div>
    );
  return (
    <div className="narrow">
      <Section title={canChoose ? texts.chooseTitle : texts.start}>
        <Text size="sm" mb={canChoose ? 0 : "md"}>
          {canChoose ? texts.choose : mayFound ? texts.startAbout : texts.startInvited}
        </Text>
        <Suspense>{!canChoose && mayFound && <NewOrganizationForm />}</Suspense>
        <Suspense>{bound.length > 0 && <SignInThrough of={bound} />}</Suspense>
      </Section>
    </div>
  );
}

function News() {
  const texts = useTexts(homeTexts);
  const shell = useTexts(shellTexts);
  const { data } = useApiQuery("GET /api/notifications", { query: { pageSize: NEWS } });
  const open = useOpenNotification();
  if (data === undefined) return null;
  return (
    <Part title={texts.news} link={{ to: "/notifications", text: texts.allNews }}>
      {data.total === 0 ? (
        <Hint>{shell.noNotifications}</Hint>
      ) : (
        <NotificationList notifications={data.data} onOpen={open.run} />
      )}
    </Part>
  );
}

function OwnRecords() {
  const client = useClient();
  return (
    <div className="columns">
      {consoleFeatures().map(
        ({ home, menu }) =>
          home !== undefined &&
          (home.needs === undefined || client.can(home.needs)) && <home.part key={menu[0]?.to} />,
      )}
    </div>
  );
}
