import {
  ActionIcon,
  Anchor,
  Burger,
  Button,
  Checkbox,
  NativeSelect,
  Pagination,
  Radio,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { Password } from "../ui/form.tsx";
import { Period } from "../ui/period.tsx";
import { Segments } from "../ui/segments.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Specimen, Wide } from "./specimen.tsx";
import { generalTexts, memberTexts } from "./texts.ts";

const ignore = () => {};

export function Controls() {
  const texts = useTexts(generalTexts);
  const member = useTexts(memberTexts);
  return (
    <>
      <Specimen name="buttons">
        <Button>{texts.save}</Button>
        <Button variant="default">{texts.edit}</Button>
        <Button variant="subtle">{texts.close}</Button>
        <Button color="red">{texts.remove}</Button>
        <Button variant="default" c="var(--mantine-color-error)">
          {member.remove}
        </Button>
        <Button disabled>{texts.add}</Button>
        <Button size="xs" variant="default">
          {member.edit}
        </Button>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.edit}>
          <Icon name="dots" />
        </ActionIcon>
        <Burger aria-label={texts.all} />
        <Anchor href="#link">{member.back}</Anchor>
      </Specimen>
      <Specimen name="choices">
        <Checkbox label={texts.done} checked onChange={ignore} />
        <Checkbox label={texts.all} />
        <Checkbox label={texts.unit} indeterminate onChange={ignore} />
        <Checkbox label={texts.owner} disabled />
        <Radio label={member.on} checked onChange={ignore} />
        <Radio label={member.off} />
        <Segments
          label={texts.units}
          options={[
            { value: "own", label: texts.own },
            { value: "all", label: texts.every },
          ]}
          value="own"
          onChange={ignore}
        />
        <Period days={30} onChange={ignore} />
      </Specimen>
      <Specimen name="fields">
        <Wide>
          <TextInput label={texts.title} defaultValue={texts.newUnit} description={member.rolesAbout} />
        </Wide>
        <TextInput label={member.email} error={texts.none} defaultValue="ada@example" required />
        <TextInput label={texts.owner} disabled defaultValue="Ada Lovelace" />
        <TextInput
          type="search"
          aria-label={texts.title}
          placeholder={texts.title}
          leftSection={<Icon name="search" size={16} />}
        />
        <Password label={member.secondFactor} defaultValue="correct horse" />
        <NativeSelect label={member.role} data={[texts.member, texts.owner]} />
        <Wide>
          <Textarea label={texts.title} rows={2} defaultValue={member.about} />
        </Wide>
      </Specimen>
      <Specimen name="tabs">
        <Wide>
          <Tabs
            label={member.members}
            tabs={[
              { to: "/", label: member.members, count: 1234 },
              { to: "/invited", label: member.invited, count: 3 },
              { to: "/activity", label: member.activity },
            ]}
          />
        </Wide>
        <Pagination total={9} value={3} onChange={ignore} />
      </Specimen>
    </>
  );
}
