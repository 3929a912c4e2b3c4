/** What a run can violate. */
export type ViolationKind =
  | 'agreement' // two nodes have other results for one block
  | 'refused' // an honest node refuses the proposal of an honest node
  | 'replay' // the application is not where the engine left it, or a replay has another result
  | 'halt' // no block is decided any more
  | 'inclusion' // a valid transaction that every pool has is in no block
  | 'failure' // a call fails

export class Violation extends Error {
  override readonly name = 'Violation'
  readonly kind: ViolationKind

  constructor(kind: ViolationKind, message: string) {
    super(`${kind}: ${message}`)
    this.kind = kind
  }
}

/** Ends the process of a node in the model. */
export class Crash extends Error {
  override readonly name = 'Crash'
}
