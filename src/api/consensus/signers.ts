import { toHex } from '../../base/encoding/hex.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed } from '../../rpc/errors.ts'

/** The number of blocks that `clique_status` covers, as in geth. */
const statusBlocks = 64

/** Returns the validators of an existing block. */
export const signersAt = async (chain: Chain, ref: BlockRef): Promise<string[]> =>
  readSigners(chain, resolve(chain, ref))

/** Returns the validator set at a block in the format of the clique engine. */
export const snapshotAt = async (chain: Chain, ref: BlockRef) => {
  const number = resolve(chain, ref)
  const signers = await readSigners(chain, number)
  // The number of recent signers that may not sign the next block under clique's rules.
  const recents = await readProposals(chain, number, Math.floor(signers.length / 2) + 1)
  return {
    number,
    hash: toHex(chain.blocks.hash(number) ?? new Uint8Array(32)),
    signers: Object.fromEntries(signers.map((signer) => [signer, {}])),
    recents: Object.fromEntries(recents.map(({ height, proposer }) => [String(height), proposer])),
    votes: [],
    tally: {},
  }
}

/** Returns how many of the last blocks each validator proposed; 0 for those that proposed none. */
export const countProposals = async (chain: Chain) => {
  const head = chain.head().number
  const proposals = await readProposals(chain, head, statusBlocks)
  const counts = new Map((await readSigners(chain, head)).map((signer) => [signer, 0]))
  for (const { proposer } of proposals) counts.set(proposer, (counts.get(proposer) ?? 0) + 1)
  const inTurn = proposals.filter(({ isInTurn }) => isInTurn).length
  return {
    inturnPercent: proposals.length === 0 ? 0 : (100 * inTurn) / proposals.length,
    sealerActivity: Object.fromEntries(counts),
    numBlocks: proposals.length,
  }
}

/** Returns the number of a block. The pending block has no validator set yet, so that that of the head is used. */
const resolve = (chain: Chain, ref: BlockRef): number => {
  const number = chain.blocks.resolve(ref)
  if (number === undefined) throw callFailed('unknown block')
  return number === 'pending' ? chain.head().number : number
}

const readSigners = async ({ network }: Chain, number: number): Promise<string[]> =>
  (await network.validators(number)).map(toHex).sort()

/** Returns the proposers of the last blocks up to a height, the newest first. Pruned blocks are left out. */
const readProposals = async ({ network }: Chain, last: number, count: number) => {
  const heights = Array.from({ length: Math.min(count, last) }, (_, back) => last - back)
  const proposals = await Promise.all(
    heights.map(async (height) => ({ height, proposal: await network.proposal(height) })),
  )
  return proposals.flatMap(({ height, proposal }) =>
    proposal === undefined
      ? []
      : [{ height, proposer: toHex(proposal.proposer), isInTurn: proposal.isInTurn }],
  )
}
