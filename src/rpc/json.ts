/**
 * A result that is JSON already: rows stored in the encoding in which they are served are copied, never parsed and
 * written again.
 */
export class RawJson {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}
