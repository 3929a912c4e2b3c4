import { UpstreamError } from './upstreamError.ts'

/** The kinds of lies, as evidence and metrics name them; `docs/trust.md` explains each. */
export const lieKinds = [
  'bad signature',
  'too little power',
  'other validators',
  'other header',
  'conflicting headers',
  'other content',
  'other results',
  'forged state',
] as const

export type LieKind = (typeof lieKinds)[number]

/** Thrown for a reply that is proven wrong: by signatures that are missing, or by hashes that are signed. */
export class ProvenLie extends UpstreamError {
  readonly kind: LieKind
  readonly height: number
  /** What the node said, as far as it shows the lie to others; plain data. */
  evidence: unknown

  constructor(kind: LieKind, height: number, problem: string, evidence?: unknown) {
    super(`block ${height}: ${problem}`)
    this.kind = kind
    this.height = height
    this.evidence = evidence
  }
}
