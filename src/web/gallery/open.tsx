import { MantineThemeProvider, Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import EventDrawer from "../ui/audit/event-drawer.tsx";
import { EventList } from "../ui/audit/event-list.tsx";
import type { Event, LinkedNames } from "../ui/audit/names.ts";
import { useDescriber } from "../ui/audit/sentence.tsx";
import { useEventLabels } from "../ui/audit/words.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FilterChips } from "../ui/filter-chips.tsx";
import { RowMenu } from "../ui/row-menu.tsx";
import { listOf } from "./list.ts";
import { Specimen, Wide } from "./specimen.tsx";
import { generalTexts, memberTexts } from "./texts.ts";

const ignore = () => {};

/** Overlays in their place in the page, without motion, and without taking the focus. */
const inPlace = { withinPortal: false, trapFocus: false, transitionProps: { duration: 0 } };
/** Menus below their button, although it may be below the window's edge. */
const below = { ...inPlace, hideDetached: false, middlewares: { flip: false, shift: false } };
const theme = {
  components: {
    Modal: { defaultProps: inPlace },
    Drawer: { defaultProps: inPlace },
    Menu: { defaultProps: { ...below, opened: true } },
  },
};

/** A frame that overlays cannot leave, because it contains elements with a fixed position. */
const Frame = ({ height, children }: { height: number; children: ReactNode }) => (
  <div style={{ flexBasis: "100%", display: "flex", position: "relative", contain: "strict", height }}>
    {children}
  </div>
);

const base = {
  actor: { id: "ada", email: "ada@example.com" },
  actorId: "ada",
  actorType: "user",
  serviceAccount: null,
  client: null,
  organizationId: "acme",
  ip: "203.0.113.7",
  requestId: "request-1",
};
const GIVEN = { roleId: "1", roleName: "UNIT_ADMIN", unitId: "greece", unitName: "Greece" };
const EVENTS = [
  {
    action: "MEMBER_ROLES_CHANGED",
    targetType: "user",
    targetId: "tom",
    metadata: { added: [GIVEN], removed: [] },
  },
  { action: "UNIT_DELETED", targetType: "unit", targetId: "old", metadata: { name: "Old", parentId: null } },
  {
    action: "USER_INVITED",
    targetType: "invitation",
    targetId: "1",
    metadata: { email: "mia@example.com", assignments: [{ ...GIVEN, roleName: "MEMBER" }] },
  },
].map((event, index) => ({
  ...base,
  ...event,
  id: String(index),
  time: new Date(Date.UTC(2026, 0, 31 - index, 9)).toISOString(),
})) as unknown as Event[];

const PEOPLE: Record<string, string> = { ada: "Ada Lovelace", tom: "Tom Okoro" };
const NAMES: LinkedNames = {
  person: (id) => PEOPLE[id],
  unit: (id) => (id === "greece" ? "Greece" : undefined),
  role: () => undefined,
  organization: () => "Acme",
  page: (type, id) => (id === "old" || type === "role" ? undefined : { to: `/${id}` }),
};

/** Lists of events, and what opens above a page: dialogs, menus and the drawer. In one language only. */
export function Open() {
  const texts = useTexts(generalTexts);
  const member = useTexts(memberTexts);
  const words = useEventLabels(NAMES);
  const describer = useDescriber(NAMES, words);
  const [event] = EVENTS;
  if (useLanguage().language !== "en" || event === undefined) return null;
  return (
    <MantineThemeProvider theme={theme} inherit>
      <Specimen name="events" isWide>
        <Wide>
          <EventList label={member.activity} list={listOf(EVENTS)} names={NAMES} logPath="/audit" />
        </Wide>
      </Specimen>
      <Specimen name="chips">
        <FilterChips
          filters={[
            { label: member.role, value: "Administrator", names: ["role"] },
            { label: texts.unit, value: "Greece", names: ["unit"] },
          ]}
          onRemove={ignore}
        />
      </Specimen>
      <Specimen name="menu">
        <Frame height={170}>
          <RowMenu
            label={member.actionsOf("Ada")}
            actions={[
              { label: member.rolesAndUnits, to: "/ada" },
              { label: texts.edit, isDisabled: true },
              { label: member.remove, confirm: { question: "", run: async () => {} } },
            ]}
          />
        </Frame>
      </Specimen>
      <Specimen name="options">
        <Frame height={160}>
          <Select
            label={member.role}
            data={[texts.member, texts.owner]}
            defaultValue={texts.owner}
            dropdownOpened
            comboboxProps={below}
          />
        </Frame>
      </Specimen>
      <Specimen name="dialog" isWide>
        <Frame height={260}>
          <ConfirmDialog
            label={texts.remove}
            question={texts.removeQuestion(texts.newUnit)}
            isOpen
            onClose={ignore}
            run={async () => {}}
          />
        </Frame>
      </Specimen>
      <Specimen name="drawer" isWide>
        <Frame height={420}>
          <EventDrawer
            event={event}
            isOpen
            words={words}
            describer={describer}
            hasOrganization
            logPath="/audit"
            onClose={ignore}
          />
        </Frame>
      </Specimen>
    </MantineThemeProvider>
  );
}
