/** Returns the redirect of an app with parameters appended to its query, which stays as the app wrote it; null ones are left out. */
export function redirectTo(redirectUri: string, parameters: Record<string, string | null>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) added.append(name, value);
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added}`;
}
