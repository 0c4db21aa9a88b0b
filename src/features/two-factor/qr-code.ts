import encodeQR from "qr";

/** A text as QR code: an SVG image in a data URL, dark on white whatever it is shown on, with the standard's margin. */
export function qrCode(text: string): string {
  const svg = encodeQR(text, "svg", { border: 4 });
  const onWhite = svg.replace(">", '><rect width="100%" height="100%" fill="#fff"/>');
  return `data:image/svg+xml;base64,${Buffer.from(onWhite).toString("base64")}`;
}
