import { z } from "zod";
import { isInvisible, trimmed } from "#kit";
import { isRedirect } from "../clients/redirects.ts";

const MAX_REDIRECTS = 20;

const texts = z.array(z.string());

/** The properties of a document that are read (draft-ietf-oauth-client-id-metadata-document-02, 4). */
const Document = z
  .object({
    client_id: z.string(),
    client_name: z.unknown().optional(),
    client_secret: z.never().optional(),
    redirect_uris: texts.min(1).max(MAX_REDIRECTS),
    grant_types: texts.refine((types) => types.includes("authorization_code")).nullish(),
    response_types: texts.refine((types) => types.includes("code")).nullish(),
    token_endpoint_auth_method: z.string().nullish(),
    token_endpoint_auth_methods_supported: texts.nullish(),
  })
  .refine(
    ({ token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: supported }) =>
      method === "none" || (supported?.includes("none") ?? method == null),
  );

/** An app as its document describes it: its name, null if there is no readable one, and its redirects. */
export type Description = { name: string | null; redirectUris: string[] };

/** Reads the text of the document at a client id. Returns null if it does not describe an app that may be connected. */
export function parseDocument(text: string, clientId: string): Description | null {
  const { data } = Document.safeParse(jsonOf(text));
  if (data?.client_id !== clientId) return null;
  const redirectUris = [...new Set(data.redirect_uris.filter(isRedirect))];
  return redirectUris.length > 0 ? { name: readableName(data.client_name), redirectUris } : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_NAME = 100;

/** Characters without a width, or that change how others are shown: controls, bidirectional and zero-width ones, tags. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the name of an app as people may see it; null if nothing readable is left, or if it is too long. */
export function readableName(name: unknown): string | null {
  if (typeof name !== "string") return null;
  const seen = name.replaceAll(/\s/g, " ").replaceAll(UNSEEN, "").normalize("NFC");
  const cleaned = trimmed(seen.replaceAll(/ +/g, " "));
  return cleaned === "" || isInvisible(cleaned) || [...cleaned].length > MAX_NAME ? null : cleaned;
}
