import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The claims of an access token that the baseline reads. */
export type Claims = {
  sub: string;
  sid: string;
  exp: number;
  isPlatformAdmin: boolean;
  organization: { id: string; name: string; slug: string } | null;
  roles: string[];
  permissions: string[];
  unitGrants: { permissions: string[]; roots: string; units: string }[];
  auth_time?: number;
  amr?: string[];
  acr?: "1" | "2";
};

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");
const BEARER = `Bearer ${HEADER}.`;

/** Signs and verifies access tokens like the service, with one HMAC each and without a cache. */
export function tokens({ secret, issuer, seconds }: { secret: string; issuer: string; seconds: number }) {
  const mac = (signed: string) => createHmac("sha256", secret).update(signed).digest();
  return {
    sign(claims: Omit<Claims, "exp">): string {
      const iat = Math.floor(Date.now() / 1000);
      const issued = { ...claims, iss: issuer, aud: "api", iat, exp: iat + seconds };
      const signed = `${HEADER}.${Buffer.from(JSON.stringify(issued)).toString("base64url")}`;
      return `${signed}.${mac(signed).toString("base64url")}`;
    },
    /** Returns the claims of a valid token in an `Authorization` header; otherwise null. */
    verify(header: string | null): Claims | null {
      if (!header?.startsWith(BEARER)) return null;
      const end = header.lastIndexOf(".");
      const expected = mac(header.slice("Bearer ".length, end));
      const given = Buffer.from(header.slice(end + 1), "base64url");
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const claims = JSON.parse(Buffer.from(header.slice(BEARER.length, end), "base64url").toString());
      return claims.exp * 1000 > Date.now() ? claims : null;
    },
  };
}

/** Creates a random token for a link or a cookie, and the digest to store. */
export const newSecret = () => randomBytes(32).toString("base64url");
export const digest = (text: string) => createHash("sha256").update(text).digest("hex");
