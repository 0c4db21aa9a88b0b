/** @jsxImportSource hono/jsx */

import { type MailContent, type MailRequest, mailTemplates } from "./mail.ts";

/** Returns subject, text and HTML of a mail. Links are built only from `APP_URL` and from the URL of the product; JSX escapes every value. */
export function renderMail({ kind, language, data }: MailRequest, appUrl: string) {
  const content = mailTemplates()[kind](data)[language];
  return { subject: content.subject, text: asText(content, appUrl), html: asHtml(content, language, appUrl) };
}

const urlOf = (action: NonNullable<MailContent["action"]>, appUrl: string) =>
  "url" in action ? action.url : `${appUrl}${action.path}`;

function asText({ paragraphs, action, secondAction, closing = [] }: MailContent, appUrl: string): string {
  return [
    ...paragraphs,
    ...(action ? [`${action.label}:\n${urlOf(action, appUrl)}`] : []),
    ...closing,
    ...(secondAction ? [`${secondAction.label}:\n${appUrl}${secondAction.path}`] : []),
    "",
  ].join("\n\n");
}

const PAGE =
  "margin:0;padding:24px;background:#f4f5f7;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif";
const CARD =
  "max-width:520px;margin:0 auto;padding:28px;background:#fff;border-radius:8px;color:#1c1e21;line-height:1.5";
const BUTTON =
  "display:inline-block;padding:11px 20px;background:#1f4fd8;border-radius:6px;color:#fff;text-decoration:none;font-weight:600";
const SMALL = "color:#5f6570;font-size:13px";

function asHtml(
  { subject, paragraphs, action, secondAction, closing = [] }: MailContent,
  language: string,
  appUrl: string,
): string {
  const page = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <title>{subject}</title>
      </head>
      <body style={PAGE}>
        <div style={CARD}>
          {paragraphs.map((paragraph) => (
            <p>{paragraph}</p>
          ))}
          {action && (
            <p>
              <a href={urlOf(action, appUrl)} style={BUTTON}>
                {action.label}
              </a>
            </p>
          )}
          {closing.map((paragraph) => (
            <p style={SMALL}>{paragraph}</p>
          ))}
          {secondAction && (
            <p style={SMALL}>
              <a href={`${appUrl}${secondAction.path}`}>{secondAction.label}</a>
            </p>
          )}
        </div>
      </body>
    </html>
  );
  return `<!doctype html>${page.toString()}`;
}
