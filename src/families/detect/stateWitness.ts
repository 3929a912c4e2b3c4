/** A query that an existing state answers differently from an empty one. */
export interface StateWitness {
  readonly path: string
  readonly isKept: (response: Uint8Array) => boolean
}
