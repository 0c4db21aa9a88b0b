import { expect } from "bun:test";
import type { Caller, Options } from "./caller.ts";
import { assertDocumented } from "./document.ts";
import { type Bytes, fields, formOf, image } from "./forms.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";

export const OWN_TICKETS = "/api/support/tickets";
export const ORGANIZATION_TICKETS = "/api/organization/helpdesk/tickets";
export const PLATFORM_TICKETS = "/api/helpdesk/tickets";

export type Message = {
  id: string;
  body: string;
  internal: boolean;
  createdAt: string;
  author: { id: string } | null;
  attachments: { id: string; fileName: string; contentType: string; size: number }[];
};
export type Ticket = {
  id: string;
  number: number;
  subject: string;
  status: string;
  createdAt: string;
  lastActivityAt: string;
  messageCount: number;
  messages: Message[];
};

/** Returns the body of a request that creates a ticket. */
export const reportBody = (fields: Record<string, unknown> = {}) => ({
  subject: "The list stays empty",
  category: "BUG",
  message: "Since this morning.",
  ...fields,
});

/** Creates a ticket, as a multipart form if there are images. */
export async function report(
  who: Caller,
  fields: Record<string, string> = {},
  images: Uint8Array[] = [],
): Promise<Ticket> {
  const response =
    images.length === 0
      ? await who.post(OWN_TICKETS, reportBody(fields))
      : await who.post(
          OWN_TICKETS,
          undefined,
          withImages(reportBody(fields) as Record<string, string>, images),
        );
  return expectStatus(response, 201).body;
}

/** Returns the request options of a multipart form with text fields and images. */
export const withImages = (values: Record<string, string>, images: Uint8Array[]): Options =>
  formOf([...fields(values), ...images.map((bytes) => image(bytes))]);

type MessageOptions = { internal?: boolean; images?: Uint8Array[]; headers?: Record<string, string> };

/** Writes a message to a ticket on one of the three families of routes; returns the message. */
export async function write(
  who: Caller,
  place: string,
  id: string,
  message: string,
  { internal, images = [], headers = {} }: MessageOptions = {},
): Promise<Message> {
  const path = `${place}/${id}/messages`;
  const texts = { message, ...(internal === undefined ? {} : { internal }) };
  const form = withImages({ message, ...(internal && { internal: "true" }) }, images);
  const response =
    images.length === 0
      ? await who.post(path, texts, { headers })
      : await who.post(path, undefined, { ...form, headers: { ...form.headers, ...headers } });
  return expectStatus(response, 201).body;
}

export const note = (who: Caller, place: string, id: string, message: string, fields: MessageOptions = {}) =>
  write(who, place, id, message, { ...fields, internal: true });

/** Reads a ticket. */
export const read = async (who: Caller, place: string, id: string, options?: Options): Promise<Ticket> =>
  expectStatus(await who.get(`${place}/${id}`, options), 200).body;

export const bodies = ({ messages }: Ticket): string[] => messages.map(({ body }) => body);

/** Reads a page of tickets. */
export const page = async (
  who: Caller,
  place: string,
  query = "",
  options?: Options,
): Promise<{ data: Ticket[]; total: number }> =>
  expectStatus(await who.get(`${place}?${query}`, options), 200).body;

export const setStatus = (who: Caller, place: string, id: string, status: string, options?: Options) =>
  who.patch(`${place}/${id}`, { status }, options);

/** Downloads an image; returns the response with its bytes. */
export async function download(who: Caller, id: string, headers: Record<string, string> = {}) {
  const path = `/api/support/attachments/${id}`;
  const response = await fetch(who.url + path, {
    headers: { ...(who.accessToken !== null && { authorization: `Bearer ${who.accessToken}` }), ...headers },
  });
  const bytes = new Uint8Array(await response.arrayBuffer()) as Bytes;
  const isJson = response.headers.get("content-type") === "application/json";
  const body = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : "";
  assertDocumented("GET", path, { status: response.status, body, headers: response.headers });
  return { status: response.status, headers: response.headers, bytes, body };
}

/** Lists the rows of a user's stored images. */
export const imageRows = (t: Service, userId: string) =>
  t.sql<{ id: string; storage_key: string; message_id: string | null; is_deleted: boolean }>(
    "SELECT id, storage_key, message_id, is_deleted FROM ticket_attachments WHERE user_id = $1 ORDER BY id",
    [userId],
  );

/**
 * Expects that a user whose requests were all rejected has no tickets and no image rows, and that no object was
 * stored.
 */
export async function expectNothingLeft(
  t: Service,
  storage: { keys(): Promise<string[]> },
  who: Caller,
  before: string[],
): Promise<void> {
  expect((await page(who, OWN_TICKETS)).total).toBe(0);
  expect(await imageRows(t, idOf(who))).toEqual([]);
  expect(await storage.keys()).toEqual(before);
}

/** Lists the helpdesk notifications of a user, oldest first. */
export const helpdeskNotifications = async (t: Service, userId: string) =>
  t.sql<{ type: string; data: Record<string, unknown> }>(
    "SELECT type, data FROM notifications WHERE user_id = $1 AND starts_with(type, 'HELPDESK') ORDER BY created_at, id",
    [userId],
  );
