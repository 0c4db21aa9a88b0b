import { Alert, Select, Text } from "@mantine/core";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { Hint } from "../../ui/hint.tsx";
import { type OrganizationOfRequest, sorted } from "./choice.ts";

type Props = {
  readonly organizations: readonly OrganizationOfRequest[];
  readonly value: OrganizationOfRequest;
  readonly onChange: (id: string) => void;
};

/** The field for the organization in which the app may act. Those in which it is not allowed are grey, with the reason. */
export function OrganizationField({ organizations, value, onChange }: Props) {
  const texts = useTexts(authorizeTexts);
  const reasons = {
    off: texts.off,
    "not-approved": texts.notApproved,
    suspended: texts.suspended,
    "other-organization": texts.otherOrganization,
    session: texts.otherSignIn,
  };
  const all = sorted(organizations);
  const reasonOf = (id: string) => {
    const reason = all.find((one) => one.id === id)?.reason ?? null;
    return reason === null ? null : reasons[reason];
  };
  const reason = reasonOf(value.id);
  return (
    <>
      <Select
        label={texts.organization}
        allowDeselect={false}
        data={all.map(({ id, name, allowed }) => ({ value: id, label: name, disabled: !allowed }))}
        renderOption={({ option }) => (
          <div className="break">
            <Text size="sm">{option.label}</Text>
            {reasonOf(option.value) !== null && <Hint size="xs">{reasonOf(option.value)}</Hint>}
          </div>
        )}
        value={value.id}
        onChange={(id) => id !== null && onChange(id)}
      />
      {reason !== null && (
        <Alert color="yellow" variant="outline" className="alert-text" p="xs">
          <Text size="sm">{reason}</Text>
        </Alert>
      )}
    </>
  );
}
