import { type AuthenticatedCall, NO_UNITS, notFound } from "#kit";
import * as attachments from "#sql/helpdesk/attachments";
import { accountOf } from "../../core/access/access.ts";
import { confinedTo } from "../../core/access/proofs.ts";
import { ignoringRange } from "../../platform/http/ranges.ts";
import { contentDisposition } from "./file-name.ts";
import { asStaffOfActive } from "./viewer.ts";

/**
 * Returns an image to everyone who may read its message (rules 21.7).
 * @throws notFound, also for a missing object, which is logged; errors of the storage
 */
export async function downloadImage(
  call: AuthenticatedCall,
  id: string,
  headers: Headers,
): Promise<Response> {
  const { app, actor } = call;
  const { isPlatformAdmin } = actor;
  const staff = isPlatformAdmin ? null : await asStaffOfActive(call, "Helpdesk.Read", { attachmentId: id });
  const [image] = await attachments.findAttachment.run(
    {
      id,
      // An app sees the tickets of its person only as staff.
      viewerId: accountOf(actor),
      isPlatformAdmin,
      ownOrganizationId: actor.type === "user" ? confinedTo(actor) : null,
      organizationId: staff?.scope.organizationId ?? null,
      units: staff === null ? NO_UNITS : staff.scope.units,
      noteUnits: staff === null ? NO_UNITS : staff.sees.noteUnits,
    },
    call.db,
  );
  if (image === undefined) throw notFound();
  const bytes = await app.storage.get(image.storageKey, image.size);
  if (bytes === null) {
    app.log.error("image missing in the storage", { attachmentId: id, requestId: call.requestId });
    throw notFound();
  }
  return new Response(ignoringRange(bytes, headers), {
    headers: {
      "content-type": image.contentType,
      "content-length": String(image.size),
      "content-disposition": contentDisposition(image.fileName),
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
    },
  });
}
