export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser starts the download later, so the object URL is revoked with a delay.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
