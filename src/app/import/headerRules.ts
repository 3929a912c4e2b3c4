import { equalBytes } from '../../base/encoding/bytes.ts'
import { nextDifficulty } from '../../chain/block/difficulty.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { leastBlockGas } from '../../chain/config/limits.ts'
import { daoExtraBlocks, daoExtraData } from '../../chain/state/daoFork.ts'
import { type BlockRules, rulesOfNextBlock } from '../blockRules.ts'
import type { BlockChecks } from './invalidBlock.ts'

const maxExtraData = 32
const maxGasLimit = 2n ** 63n - 1n
const gasLimitDivisor = 1_024n
const noNonce = new Uint8Array(8)

/** The header and hash of a parent block. */
export interface BlockHead {
  readonly header: Header
  readonly hash: Uint8Array
}

export interface HeaderRules extends BlockRules {
  /** Whether the block is past the merge, or of a chain that never had proof of work. */
  readonly isMerged: boolean
}

/** Checks everything in a header that follows from its parent and the fork schedule, without executing the block. */
export const checkHeader = (
  config: ChainConfig,
  parent: BlockHead,
  header: Header,
  isMerged: boolean,
  checks: BlockChecks,
): HeaderRules => {
  const before = parent.header
  checks.assertEqual('parentHash', parent.hash, header.parentHash)
  checks.assertEqual('number', before.number + 1n, header.number)
  checkTime(config, before, header, checks)
  const rules = rulesOfNextBlock(config, before, header)
  const isWorkless = isMerged || before.difficulty === 0n
  const difficulty = isWorkless ? 0n : nextDifficulty(config, rules.fork, before, header.timestamp)
  checks.assertEqual('difficulty', difficulty, header.difficulty)
  if (isWorkless) checks.assertEqual('nonce', noNonce, header.nonce)
  checkExtraData(config, header, checks)
  checkGasLimit(before, header, since(rules.fork, 'london'), checks)
  checks.assertEqual(
    'baseFeePerGas',
    since(rules.fork, 'london') ? rules.baseFee : undefined,
    header.baseFeePerGas,
  )
  checks.assertEqual('excessBlobGas', rules.excessBlobGas, header.excessBlobGas)
  checkPresence('withdrawalsRoot', header.withdrawalsRoot, since(rules.fork, 'shanghai'), checks)
  checkPresence('blobGasUsed', header.blobGasUsed, rules.blobs !== undefined, checks)
  checkPresence('parentBeaconBlockRoot', header.parentBeaconBlockRoot, rules.blobs !== undefined, checks)
  checkPresence('requestsHash', header.requestsHash, since(rules.fork, 'prague'), checks)
  return { ...rules, isMerged: isWorkless }
}

const checkPresence = (field: string, value: unknown, isDue: boolean, checks: BlockChecks): void => {
  if ((value !== undefined) === isDue) return
  throw checks.error(field, isDue ? 'a value' : 'none', isDue ? 'none' : 'a value')
}

/**
 * Returns whether blocks may have equal times. Engines that produce more than one block a second repeat times, and the
 * export of such a chain says so in its config.
 */
const timesMayRepeat = ({ source }: ChainConfig): boolean =>
  (source.perihelion as { readonly timesMayRepeat?: unknown } | undefined)?.timesMayRepeat === true

const checkTime = (config: ChainConfig, parent: Header, header: Header, checks: BlockChecks): void => {
  const least = parent.timestamp + (timesMayRepeat(config) ? 0n : 1n)
  if (header.timestamp < least) throw checks.error('timestamp', `at least ${least}`, header.timestamp)
}

const checkExtraData = (
  { daoFork }: ChainConfig,
  { number, extraData }: Header,
  checks: BlockChecks,
): void => {
  if (extraData.length > maxExtraData)
    throw checks.error('extraData', `at most ${maxExtraData} bytes`, `${extraData.length} bytes`)
  if (daoFork === undefined || number < daoFork.block || number >= daoFork.block + daoExtraBlocks) return
  if (daoFork.isSupported) checks.assertEqual('extraData', daoExtraData, extraData)
  else if (equalBytes(extraData, daoExtraData))
    throw checks.error('extraData', 'not that of the DAO fork', extraData)
}

const checkGasLimit = (parent: Header, header: Header, isLondon: boolean, checks: BlockChecks): void => {
  // EIP-1559 doubles the gas limit once, so that the gas target equals the previous limit.
  const isFirstOfLondon = isLondon && parent.baseFeePerGas === undefined
  const before = isFirstOfLondon ? parent.gasLimit * 2n : parent.gasLimit
  const room = before / gasLimitDivisor - 1n
  const least = before - room > leastBlockGas ? before - room : leastBlockGas
  const most = before + room < maxGasLimit ? before + room : maxGasLimit
  if (header.gasLimit < least || header.gasLimit > most)
    throw checks.error('gasLimit', `${least} to ${most}`, header.gasLimit)
  if (header.gasUsed > header.gasLimit)
    throw checks.error('gasUsed', `at most ${header.gasLimit}`, header.gasUsed)
}
