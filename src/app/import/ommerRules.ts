import { toHex } from '../../base/encoding/hex.ts'
import type { Block } from '../../chain/block/block.ts'
import { headerHash } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { type BlockHead, checkHeader } from './headerRules.ts'
import type { BlockChecks } from './invalidBlock.ts'

const maxOmmers = 2
/** The number of ancestors whose children may be ommers; the parent is not among them. */
const generations = 7

interface OmmerCandidates {
  /** The ancestors by hash. */
  readonly ancestors: ReadonlyMap<string, BlockHead>
  /** The hashes of earlier ommers, which must not be included again. */
  readonly used: Set<string>
}

const collectOmmerCandidates = (blocks: BlockStoreReader, parentNumber: number): OmmerCandidates => {
  const ancestors = new Map<string, BlockHead>()
  const used = new Set<string>()
  for (let number = parentNumber; number >= 0 && number > parentNumber - generations; number--) {
    const header = blocks.header(number)
    const hash = blocks.blockHashAt(number)
    if (header === undefined || hash === undefined) throw new Error(`block ${number} is missing`)
    ancestors.set(toHex(hash), { header, hash })
    for (const ommer of blocks.extras(number)?.ommers ?? []) used.add(toHex(headerHash(ommer)))
  }
  return { ancestors, used }
}

/** Checks the ommers by the yellow paper, 11.1: at most two, each a valid header that was not included before. */
export const checkOmmers = (
  config: ChainConfig,
  blocks: BlockStoreReader,
  { header, ommers }: Block,
  isMerged: boolean,
  checks: BlockChecks,
): void => {
  if (ommers.length === 0) return
  const most = isMerged ? 0 : maxOmmers
  if (ommers.length > most) throw checks.error('ommers', `at most ${most}`, ommers.length)
  const { ancestors, used } = collectOmmerCandidates(blocks, Number(header.number) - 1)
  for (const [index, ommer] of ommers.entries()) {
    const name = `ommers[${index}]`
    const hash = headerHash(ommer)
    const key = toHex(hash)
    if (used.has(key)) throw checks.error(name, 'one that is new', hash)
    if (ancestors.has(key)) throw checks.error(name, 'no ancestor', hash)
    used.add(key)
    const parent = ancestors.get(toHex(ommer.parentHash))
    if (parent === undefined || toHex(header.parentHash) === toHex(ommer.parentHash))
      throw checks.error(`${name}.parentHash`, 'an ancestor of the parent', ommer.parentHash)
    checkHeader(config, parent, ommer, false, checks.scopedTo(name))
  }
}
