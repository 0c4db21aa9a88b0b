import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { capitalized } from "../../lib/capitalized.ts";
import { declaredOf, useDeclaredActions } from "../../lib/features.ts";
import { filled } from "../../lib/filled.ts";
import { useFormat } from "../../lib/format.ts";
import { useLanguage, useTexts } from "../../lib/i18n.tsx";
import { product } from "../../lib/product.ts";
import { fill } from "../../lib/rich-text.ts";
import { actionTexts, auditTexts } from "../../texts/audit.ts";
import { logTexts, platformActionTexts } from "../../texts/audit-log.ts";
import { sentenceTexts } from "../../texts/audit-sentences.ts";
import { useLabels } from "../labels.ts";
import type { Event, LinkedNames, TargetType } from "./names.ts";
import type { EventLabels } from "./words.ts";

type Sentences = Readonly<Record<string, ((...marks: string[]) => string) | undefined>>;
type Entry = { roleName?: string; roleId?: string; unitId?: string | null; unitName?: string | null };
type Metadata = Readonly<Record<string, unknown>>;

/** The most roles or units that a sentence names. */
const SHOWN = 3;

export type Describer = ReturnType<typeof useDescriber>;

export function useDescriber(names: LinkedNames, words: EventLabels) {
  const texts = useTexts(sentenceTexts);
  const { more } = useTexts(logTexts);
  const { system } = useTexts(auditTexts);
  const sentences = texts as unknown as Sentences;
  const actions: Readonly<Record<string, string | undefined>> = {
    ...useTexts(actionTexts),
    ...useTexts(platformActionTexts),
    ...useDeclaredActions(),
  };
  const { language } = useLanguage();
  const labels = useLabels();
  const { list, number } = useFormat();

  const title = (event: Event) => actions[event.action] ?? words.title(event);
  /** Returns the name of a record as a link to its page, or as text if it has no page. */
  function link(type: TargetType | null, id: string | null | undefined, name: string): ReactNode {
    const page = type === null || id == null ? undefined : names.page(type, id);
    if (page === undefined) return <strong>{name}</strong>;
    return (
      <Anchor underline="always" component={Link} to={page.to} search={(page.search ?? {}) as never}>
        {name}
      </Anchor>
    );
  }
  const nameOf = ({ id, email }: NonNullable<Event["actor"]>) => names.person(id) ?? email;
  const actorOf = (event: Event): ReactNode =>
    event.client === null ? whoDid(event) : fill(texts.via, whoDid(event), event.client.name);
  function whoDid(event: Event): ReactNode {
    const { actor, serviceAccount, actorId, targetType, targetId, metadata } = event;
    if (actor !== null) return link("user", actor.id, nameOf(actor));
    if (serviceAccount !== null) return link("service_account", actorId, serviceAccount.name);
    if (event.product) return <strong>{product?.name[language] ?? system}</strong>;
    // Events before sign-in, such as a registration, are about the user who caused them.
    if (targetType === "user" && targetId !== null) return person(targetId);
    const { email } = metadata as { email?: string | null };
    if (email !== undefined) return <strong>{email ?? texts.nobody}</strong>;
    return <strong>{system}</strong>;
  }
  const person = (id: string) => link("user", id, names.person(id) ?? texts.formerMember);
  function joined(entries: unknown): ReactNode {
    const all = (Array.isArray(entries) ? entries : []) as Entry[];
    const nodes = all.slice(0, SHOWN).map(entryOf);
    if (all.length > SHOWN) nodes.push(more(number(all.length - SHOWN)));
    return fill((...marks) => list(marks), ...nodes);
  }
  function entryOf(entry: Entry | string): ReactNode {
    if (typeof entry === "string") return <strong>{labels.role(entry)}</strong>;
    const { roleName, roleId, unitId, unitName } = entry;
    const unit = unitName ? link("unit", unitId, unitName) : null;
    if (roleName === undefined) return unit;
    const role = link("role", roleId, labels.role(roleName));
    return unit === null ? role : fill(texts.grant, role, unit);
  }
  /** Returns the record that an event is about: as a link, and by its name alone. */
  function targetOf(event: Event): { node: ReactNode; name: string } {
    const { targetType: type, targetId: id, actorId } = event;
    if (event.product) return { node: null, name: "" };
    const data = event.metadata as Metadata;
    const { to, from } = data as { to?: Metadata; from?: Metadata };
    const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
    const named = text(data.name) ?? text(to?.name) ?? text(from?.name);
    const known = (name: string | undefined, missing: string) => ({
      node: link(type, id, name ?? missing),
      name: name ?? missing,
    });
    if (event.action.startsWith("EMAIL_CHANGE")) return known(text(data.to), texts.gone);
    if (data.provider !== undefined) return known(capitalized(String(data.provider)), "");
    if (type === "user" && event.action !== "USER_DELETED") {
      const name = id === null ? undefined : names.person(id);
      const isSelf = id !== null && id === actorId;
      return isSelf
        ? { node: texts.ownAccount, name: name ?? texts.ownAccount }
        : known(name, texts.formerMember);
    }
    if (type === "user" || type === "invitation") return known(text(data.email), texts.anAccount);
    if (type === "unit") return known((id && names.unit(id)) || named, texts.gone);
    if (type === "role") return known(labels.role((id && names.role(id)) || named || texts.gone), "");
    if (type === "organization")
      return known((id && names.organization(id)) || text(data.name), texts.organization);
    if (type === "ticket") return known(`#${data.number ?? "?"}`, "");
    if (type === "session" && text(data.userId) !== undefined)
      return { node: person(String(data.userId)), name: texts.anAccount };
    return known(named ?? text(data.start) ?? text(data.host) ?? text(data.domain), texts.gone);
  }
  /** Returns the text and the further values of an event's sentence. */
  function variant(event: Event): { key: string; what?: ReactNode; before?: ReactNode } {
    const { action } = event;
    const data = event.metadata as Metadata;
    const has = (name: string) => Array.isArray(data[name]) && data[name].length > 0;
    if (action === "MEMBER_ROLES_CHANGED" || action === "MEMBER_UNITS_CHANGED") {
      const of = action === "MEMBER_ROLES_CHANGED" ? "roles" : "units";
      if (has("added") && has("removed"))
        return { key: `${of}Replaced`, what: joined(data.added), before: joined(data.removed) };
      if (has("added")) return { key: `${of}Added`, what: joined(data.added) };
      if (has("removed")) return { key: `${of}Removed`, what: joined(data.removed) };
    }
    if (action === "USER_INVITED" && has("assignments"))
      return { key: "invitedAs", what: joined(data.assignments) };
    if (action === "SESSION_REVOKED" && data.userId !== undefined) return { key: "sessionOf" };
    return {
      key: sentences[action] === undefined ? "unknown" : action,
      what: <strong>{words.value("status", data.to)}</strong>,
    };
  }
  return {
    /** Says what happened, without names: "Created a unit". */
    title,
    nameOf,
    actor: actorOf,
    target: targetOf,
    organization: (id: string) => link("organization", id, names.organization(id) ?? texts.gone),
    sentence(event: Event): ReactNode {
      if (event.text) return event.text[language];
      const data = event.metadata as Metadata;
      if (
        event.action === "USER_INVITATION_ACCEPTED" &&
        Array.isArray(data.assignments) &&
        data.assignments[0]
      )
        return fill(texts.joinedAs, actorOf(event), joined(data.assignments));
      const declared = declaredOf("audit", event.action)?.text[language];
      if (declared !== undefined)
        return fill((actor = "") => filled(declared, { ...data, actor }), actorOf(event));
      const { key, what, before } = variant(event);
      const target = key === "unknown" ? title(event) : targetOf(event).node;
      return fill(sentences[key] ?? texts.unknown, actorOf(event), target, what, before);
    },
  };
}
