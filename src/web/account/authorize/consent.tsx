import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClaims } from "../../lib/claims.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { Page } from "../../ui/page.tsx";
import { Account } from "./account.tsx";
import { AppCard } from "./app-card.tsx";
import { choiceIn, firstOrganization } from "./choice.ts";
import { Days } from "./days.tsx";
import { Decision } from "./decision.tsx";
import { OrganizationField } from "./organization-field.tsx";
import { PlaceFields } from "./place-fields.tsx";
import { ScopeFields } from "./scope-fields.tsx";

type Props = { readonly to: Schemas["AuthorizationRequest"]; readonly onReload: () => void };

/** Shows what an app asks for; the user chooses how much of it the app gets, and where, or denies it. */
export function Consent({ to: request, onReload }: Props) {
  const texts = useTexts(authorizeTexts);
  const { isPlatformAdmin = false } = useClaims();
  const [choice, setChoice] = useState(() => choiceIn(request, firstOrganization(request.organizations)));
  const organization = request.organizations.find(({ id }) => id === choice.organizationId);
  return (
    <Page title={texts.question(request.client.name)}>
      <Stack gap="md" className="consent">
        <AppCard of={request} />
        <Account />
        {isPlatformAdmin && <Text size="sm">{texts.platform}</Text>}
        {!isPlatformAdmin && organization === undefined && <Text size="sm">{texts.noOrganization}</Text>}
        {!isPlatformAdmin && organization !== undefined && (
          <>
            <OrganizationField
              organizations={request.organizations}
              value={organization}
              // What is chosen in one organization is not chosen in another.
              onChange={(id) => setChoice(choiceIn(request, id))}
            />
            {organization.allowed && (
              <>
                <PlaceFields
                  key={organization.id}
                  organization={organization}
                  choice={choice}
                  onChange={setChoice}
                />
                <ScopeFields of={request} organization={organization} choice={choice} onChange={setChoice} />
                <Days of={request} choice={choice} onChange={setChoice} />
              </>
            )}
          </>
        )}
        <Decision
          requestToken={request.requestToken}
          choice={!isPlatformAdmin && organization?.allowed ? choice : null}
          onReload={onReload}
        />
      </Stack>
    </Page>
  );
}
