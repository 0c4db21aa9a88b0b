import { Anchor } from "@mantine/core";
import { Fragment } from "react";

/** Web addresses, up to a space, a quote, an angle bracket or an invisible character. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'«»“”\p{Cf}]+/giu;
/** What follows an address in a sentence. */
const PUNCTUATION = /[.,:;!?·…)\]}]+$/;

/** A text of a user, in which web addresses are links. A link is shown with its whole address. */
export function LinkedText({ text }: { text: string }) {
  let end = 0;
  const parts = [...text.matchAll(ADDRESS)].map(({ 0: found, index }) => {
    const before = text.slice(end, index);
    const address = trimmed(found);
    end = index + address.length;
    return (
      <Fragment key={index}>
        {before}
        {isSafe(address) ? (
          <Anchor
            href={address}
            target="_blank"
            rel="noopener noreferrer nofollow"
            inherit
            underline="always"
          >
            {address}
          </Anchor>
        ) : (
          address
        )}
      </Fragment>
    );
  });
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}

/** Returns an address without the punctuation after it; a bracket that belongs to it stays. */
function trimmed(address: string): string {
  const bare = address.replace(PUNCTUATION, "");
  return address[bare.length] === ")" && bare.includes("(") && !bare.includes(")") ? `${bare})` : bare;
}

/** Whether an address can be a link. One with a user name is not: it looks like the address of another site. */
function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}
