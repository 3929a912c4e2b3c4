/** What a node of another chain said that is proven wrong. */
export interface ToldLie {
  /** Seconds since 1970. */
  readonly time: number
  readonly kind: string
  readonly block: number
  readonly problem: string
}

/** Why a chain that others run is believed. */
export interface ChainTrust {
  /** Whether each header is proven by the signatures of the chain's validators. */
  readonly isVerified: boolean
  /** Whether values of states are proven, and why some that could be are not; undefined if that was not requested. */
  readonly stateProofs?: { readonly problem: string | undefined } | undefined
  /** The lies that its nodes told, the newest last. */
  readonly lies: readonly ToldLie[]
}
