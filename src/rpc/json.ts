/**
 * A result that is JSON already: rows stored in the encoding in which they are served are copied, never parsed and
 * written again.
 */
export class RawJson {
  /** One after the other. */
  readonly parts: readonly Uint8Array[]

  constructor(bytes: Uint8Array | readonly Uint8Array[]) {
    this.parts = bytes instanceof Uint8Array ? [bytes] : bytes
  }
}
