import { toHex } from '../base/hex.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import { failed } from '../rpc/errors.ts'

/** The blocks that `clique_status` looks back on, as in geth. */
const statusBlocks = 64

/** Who may sign at a block that is there. */
export const signersAt = async (chain: Chain, ref: BlockRef): Promise<string[]> =>
  readSigners(chain, resolve(chain, ref))

/** The validator set at a block, in the shape of the clique engine. */
export const snapshotAt = async (chain: Chain, ref: BlockRef) => {
  const number = resolve(chain, ref)
  const signers = await readSigners(chain, number)
  // So many that nobody of them could sign the next block under clique's rules.
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

/** Who proposed how many of the last blocks. Validators that proposed none stand there with 0. */
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

/** The pending block has no signers yet: those of the head will be asked. */
const resolve = (chain: Chain, ref: BlockRef): number => {
  const number = chain.blocks.resolve(ref)
  if (number === undefined) throw failed('unknown block')
  return number === 'pending' ? chain.head().number : number
}

const readSigners = async ({ network }: Chain, number: number): Promise<string[]> =>
  (await network.validators(number)).map(toHex).sort()

/** The proposers of the last blocks up to a height, the newest first; what is not kept is left out. */
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
