import { serviceUnavailable } from "../errors.ts";

/** The maximum size of a small body. A connection uses about this much memory anyway. */
export const SMALL_BODY_BYTES = 4 * 1024;

export type BudgetLimits = { maxSmallBytes: number; maxLargeBytes: number; maxBytesPerAddress: number };

/** The error if one IP address already uses its share of the memory for request bodies. */
export class AddressShareExceeded extends Error {}

/** Counts the received bytes of one body. */
export interface BodyAccount {
  /**
   * Counts received bytes. @throws serviceUnavailable if the memory for bodies is used up; AddressShareExceeded if
   * the IP address has used its share, and the body then no longer counts
   */
  add(bytes: number): void;
  release(): void;
}

/**
 * Limits the memory for bodies that are being received. Small bodies have a separate limit, so that large ones
 * never lock them out. A body of undeclared length counts as small until more bytes have arrived.
 */
export class BodyBudget {
  private readonly used = { small: 0, large: 0 };
  private readonly ofAddress = new Map<string, number>();

  constructor(private readonly limits: BudgetLimits) {}

  /** @param address the key of the limits per IP address */
  open(address: string, declaredBytes: number | null): BodyAccount {
    let kind: "small" | "large" = (declaredBytes ?? 0) > SMALL_BODY_BYTES ? "large" : "small";
    let received = 0;
    const count = (bytes: number) => {
      received += bytes;
      this.used[kind] += bytes;
      const total = (this.ofAddress.get(address) ?? 0) + bytes;
      if (total === 0) this.ofAddress.delete(address);
      else this.ofAddress.set(address, total);
    };
    const release = () => count(-received);
    return {
      add: (bytes) => {
        const size = received + bytes;
        release();
        if (size > SMALL_BODY_BYTES) kind = "large";
        this.assertRoom(kind, address, size);
        count(size);
      },
      release,
    };
  }

  private assertRoom(kind: "small" | "large", address: string, bytes: number): void {
    const { maxSmallBytes, maxLargeBytes, maxBytesPerAddress } = this.limits;
    if ((this.ofAddress.get(address) ?? 0) + bytes > maxBytesPerAddress) throw new AddressShareExceeded();
    if (this.used[kind] + bytes > (kind === "small" ? maxSmallBytes : maxLargeBytes))
      throw serviceUnavailable(new Error("Too many bodies at once"));
  }
}
