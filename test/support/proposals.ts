import type { Application } from '../../src/app/application.ts'
import { prepareProposal } from '../../src/app/proposal/proposal.ts'
import { toProposalRules } from '../../src/app/proposal/rules.ts'
import type { RecoveredTransaction } from '../../src/chain/transaction/transaction.ts'

export interface TestProposal {
  /** The engine's time in seconds. */
  readonly time: bigint
  readonly reward?: Uint8Array
  readonly maxBytes?: number
}

/** Returns the entries that a proposer with this application and these candidates proposes as the next block. */
export const proposeEntries = (
  app: Application,
  candidates: Iterable<RecoveredTransaction>,
  { time, reward = new Uint8Array(20).fill(0xab), maxBytes = 1_000_000 }: TestProposal,
): Uint8Array[] => {
  if (app.head === undefined) throw new Error('the chain has no first block')
  const rules = toProposalRules(app.config, app.head.header, time)
  return [...prepareProposal({ rules, reward, maxBytes }, candidates).entries]
}
