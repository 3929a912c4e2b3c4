/** A query about a state. */
export interface AskedState {
  readonly path: string
  readonly request: Uint8Array
  /** The state is the one after the block of this height. */
  readonly height: number
}

/** Thrown for a node that gives no proof of a kind that is known here. The message is shown to callers: what the node said is not in it. */
export class NoProof extends Error {
  /** What the node said, for the log; undefined if it said nothing. */
  readonly said: string | undefined

  constructor(message: string, said?: string) {
    super(message)
    this.said = said
  }
}

/** Thrown for a node that says that the chain has no such store, of which none was proven yet. Nothing proves that. */
export class MissingStore extends NoProof {}

/** Returns the proven value of a key of a store; empty if the key is not there. Throws `NoProof`. */
export type StoreReader = (store: string, key: Uint8Array) => Promise<Uint8Array>

/** What proven values say about a response. */
export type Verdict =
  /** It is what they say; telling if a wrong key would hardly have led to it. */
  | { readonly is: 'same'; readonly isTelling: boolean }
  /** It is not; with the proof, if that was in the response. */
  | { readonly is: 'different'; readonly problem: string; readonly proof?: object | undefined }
  /** The response has a proof of its own, which leads elsewhere. */
  | { readonly is: 'disproven'; readonly problem: string; readonly proof: object }
  /** They say less than the response does. */
  | { readonly is: 'unjudged' }
  /** The node tells why it has no response. */
  | { readonly is: 'unanswered' }

/** Values that are zero on most chains whatever their keys are prove nothing about these. */
export const same = (isTelling: boolean): Verdict => ({ is: 'same', isTelling })
export const differs = (problem: string, proof?: object): Verdict => ({ is: 'different', problem, proof })
export const unreadable: Verdict = { is: 'different', problem: 'its response cannot be read' }

export type Judge = (response: Uint8Array) => Promise<Verdict>

/** Reads what proves the response of a query; the function that it returns judges the response. */
export interface StateProof {
  readonly name: string
  readonly begin: () => Promise<Judge>
}

/** Returns how the response of a query is proven; undefined if it is not about values of a state. */
export type StateRules = (asked: AskedState, read: StoreReader) => StateProof | undefined
