import { Badge, Loader, Notification, Skeleton, Text, Title } from "@mantine/core";
import { ApiError, ConnectionError } from "../../client/index.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Icon, type IconName, icons } from "../lib/icons.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Specimen, Wide } from "./specimen.tsx";
import { generalTexts, memberTexts } from "./texts.ts";

const PEOPLE = ["Ada Lovelace", "Νίκος Γεωργίου", "Grace", "Barbara L", "Tom T", "Mia", "Zoe K", "Noor B"];
const TONES = [undefined, "good", "info", "warn", "bad"] as const;

const error = (code: string, statusCode: number, details?: unknown) =>
  new ApiError(
    "GET /api/members",
    { statusCode, code, message: code, requestId: "request-1", details },
    null,
  );
const ERRORS = [
  error("INTERNAL_ERROR", 500),
  error("PLAN_LIMIT_REACHED", 403, { used: 50, max: 50 }),
  new ConnectionError("GET /api/members", "NETWORK_ERROR", null),
];

export function Feedback() {
  const texts = useTexts(generalTexts);
  const member = useTexts(memberTexts);
  return (
    <>
      <Specimen name="text">
        <Title order={1} size="h2">
          {texts.own}
        </Title>
        <Title order={2} size="h4">
          {member.rolesAndUnits}
        </Title>
        <Wide>
          <Text>{member.about}</Text>
          <Text size="sm" c="dimmed">
            {member.unitsAbout}
          </Text>
        </Wide>
      </Specimen>
      <Specimen name="marks">
        {TONES.map((tone) => (
          <span key={tone ?? "none"} className="tag" data-tone={tone}>
            {texts.done}
          </span>
        ))}
        <Badge variant="default">{member.you}</Badge>
        <Badge variant="dot" color="green">
          {member.on}
        </Badge>
        <Badge variant="dot" color="red">
          {member.off}
        </Badge>
        <Badge variant="dot" color="orange">
          {member.invited}
        </Badge>
      </Specimen>
      <Specimen name="avatars">
        {PEOPLE.map((name) => (
          <Avatar key={name} name={name} id={name} size={32} />
        ))}
        <Avatar name="Acme Works" id="acme" isSquare size={40} />
        <Avatar name="Ada Lovelace" id="ada" />
      </Specimen>
      <Specimen name="icons">
        {(Object.keys(icons) as IconName[]).map((name) => (
          <Icon key={name} name={name} />
        ))}
      </Specimen>
      <Specimen name="errors" isWide>
        {ERRORS.map((one, index) => (
          <Wide key={one.message} width={320}>
            <ErrorAlert error={one} {...(index === 2 && { onRetry: () => {} })} />
          </Wide>
        ))}
      </Specimen>
      <Specimen name="empty">
        <Wide>
          <EmptyState text={texts.none} />
        </Wide>
      </Specimen>
      <Specimen name="loading">
        <Loader aria-label={texts.units} />
        <Wide>
          <Skeleton height={36} />
        </Wide>
      </Specimen>
      <Specimen name="notification">
        <Wide>
          <Notification withBorder closeButtonProps={{ "aria-label": texts.close }}>
            {texts.removeQuestion(texts.newUnit)}
          </Notification>
        </Wide>
      </Specimen>
    </>
  );
}
