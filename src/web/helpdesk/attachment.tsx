import { Anchor, Modal, Skeleton, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useInViewport } from "@mantine/hooks";
import { useEffect, useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useErrorText } from "../lib/errors.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useObjectUrl } from "./images-field.tsx";
import { helpdeskTexts } from "./texts.ts";

type Image = Schemas["TicketAttachment"];

/** An image of a message. It is requested with the access token when it is scrolled into view. */
export function Attachment({ attachment }: { attachment: Image }) {
  const { ref, inViewport } = useInViewport<HTMLLIElement>();
  const [wasSeen, setSeen] = useState(false);
  useEffect(() => {
    if (inViewport) setSeen(true);
  }, [inViewport]);
  const errorText = useErrorText();
  const { id } = attachment;
  const { data, error } = useApiQuery(
    "GET /api/support/attachments/{id}",
    { path: { id } },
    // An image of a message never changes, so it is cached without limit.
    { enabled: wasSeen, staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <li className="image" ref={ref}>
      {data !== undefined && <LoadedImage image={attachment} blob={data as Blob} />}
      {data === undefined && error === null && <Skeleton height={110} />}
      {error !== null && <Text size="xs">{errorText(error)}</Text>}
    </li>
  );
}

function LoadedImage({ image: { fileName, width, height }, blob }: { image: Image; blob: Blob }) {
  const texts = useTexts(helpdeskTexts);
  const url = useObjectUrl(blob);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <UnstyledButton onClick={open} aria-label={texts.showImage(fileName)}>
        <img src={url} alt="" width={width} height={height} />
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={close}
        size="auto"
        title={fileName}
        closeButtonProps={{ "aria-label": texts.closeImage }}
      >
        <img src={url} alt={fileName} className="image-whole" />
        <Text size="sm" mt="xs">
          <Anchor href={url} download={fileName}>
            {texts.download}
          </Anchor>
        </Text>
      </Modal>
    </>
  );
}
