import encodeQR from "qr";

/**
 * Returns a QR code as SVG in a data URL, dark on white on any background, with the margin that the standard
 * requires.
 */
export function qrCode(text: string): string {
  const svg = encodeQR(text, "svg", { border: 4 });
  const onWhite = svg.replace(">", '><rect width="100%" height="100%" fill="#fff"/>');
  return `data:image/svg+xml;base64,${Buffer.from(onWhite).toString("base64")}`;
}
