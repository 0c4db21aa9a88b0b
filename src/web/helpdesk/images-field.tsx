import { Button, CloseButton, FileButton, Group, Input, Stack, Text } from "@mantine/core";
import { type ClipboardEvent, type DragEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { Hint } from "../ui/hint.tsx";

/** Includes other names of the types that systems give to files. */
const ACCEPTED = /^image\/(?:x-)?(?:a?png|p?jpe?g|webp|gif)$/;
const TYPES = "image/png,image/apng,image/jpeg,image/webp,image/gif";
const MEGABYTE = 1024 * 1024;
/**
 * The limits of images (rules 21.2). The API enforces them; the console checks them only to avoid a useless upload.
 */
const MOST_IMAGES = 5;
const MAX_BYTES = 5 * MEGABYTE;

type Props = {
  readonly images: readonly File[];
  readonly onChange: (images: File[]) => void;
  readonly error?: ReactNode;
  /** The sent part of the upload, from 0 to 1; null if no upload is running. */
  readonly progress: number | null;
  /** The form's other fields; images can also be pasted or dropped there. */
  readonly children?: ReactNode;
};

export function ImagesField({ images, onChange, error, progress, children }: Props) {
  const texts = useTexts(helpdeskTexts);
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  function add(files: Iterable<File>) {
    const given = [...files];
    const added = given.filter(({ type }) => ACCEPTED.test(type));
    const other = given.find(({ type }) => !ACCEPTED.test(type));
    const small = added.filter(({ size }) => size <= MAX_BYTES);
    const all = [...images, ...small];
    if (other !== undefined) setRefused(refusalOf(other));
    else if (small.length < added.length) setRefused(texts.imageTooLarge);
    else setRefused(all.length > MOST_IMAGES ? texts.tooManyImages(MOST_IMAGES) : null);
    onChange(all.slice(0, MOST_IMAGES));
  }

  function refusalOf({ name, type }: File): string {
    const [, extension] = /\.([a-z0-9]{2,5})$/i.exec(name) ?? /^image\/([a-z0-9]{2,5})/.exec(type) ?? [];
    return extension === undefined ? texts.unknownFile : texts.unsupportedFile(extension.toUpperCase());
  }

  function paste(event: ClipboardEvent) {
    const { files } = event.clipboardData;
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer.files);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: images that can be dropped here can also be chosen by a button
    <div
      className="drop-zone"
      data-over={isOver || undefined}
      onPaste={paste}
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
    >
      <Stack gap="sm">
        {children}
        <Group gap="sm">
          <FileButton multiple accept={TYPES} onChange={add}>
            {(props) => (
              <Button variant="default" size="xs" {...props}>
                {texts.addImages}
              </Button>
            )}
          </FileButton>
          <Hint size="xs">{texts.imagesAbout(MOST_IMAGES, MAX_BYTES / MEGABYTE)}</Hint>
        </Group>
        {images.length > 0 && (
          <ul className="plain-list images">
            {images.map((image, index) => (
              <Preview
                // biome-ignore lint/suspicious/noArrayIndexKey: the same image may be chosen twice
                key={`${index} ${image.name} ${image.lastModified}`}
                image={image}
                onRemove={() => {
                  setRefused(null);
                  onChange(images.filter((_, at) => at !== index));
                }}
              />
            ))}
          </ul>
        )}
        {progress !== null && <progress value={progress} aria-label={texts.sending} />}
        {(refused || error) && (
          <Input.Error role="alert" size="sm">
            {refused} {error}
          </Input.Error>
        )}
      </Stack>
    </div>
  );
}

function Preview({ image, onRemove }: { image: File; onRemove: () => void }) {
  const texts = useTexts(helpdeskTexts);
  const { number } = useFormat();
  const url = useObjectUrl(image);
  const [isBroken, setBroken] = useState(false);
  return (
    <li className="image">
      <img src={url} alt={image.name} onError={() => setBroken(true)} />
      {isBroken && <Input.Error>{texts.brokenImage}</Input.Error>}
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text size="xs" truncate title={image.name}>
          {image.name} · {texts.kilobytes(number(Math.ceil(image.size / 1024)))}
        </Text>
        <CloseButton size="sm" aria-label={texts.removeImage(image.name)} onClick={onRemove} />
      </Group>
    </li>
  );
}

/** Returns an object URL of a blob, which is revoked when the component unmounts. */
export function useObjectUrl(blob: Blob): string {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return url;
}
