import type { Header } from '../block/header.ts'
import { type ChainConfig, forkOfHeader } from '../config/chainConfig.ts'
import type { Fork } from '../config/forks.ts'
import type { ChainLimits } from '../config/limits.ts'

/** A value that the operator gave, not a default, and its source. */
export interface Given<T> {
  readonly value: T
  /** The source: a flag, a variable, or a line of a file. */
  readonly where: string
}

/** What the operator's settings say of the first block of a chain and of its limits. */
export interface GivenBeginning {
  readonly forkName?: Given<Fork> | undefined
  /** The bytes that a contract may have. */
  readonly codeSize?: Given<number> | undefined
  /** The gas that a transaction may have; undefined within it for as much as a block. */
  readonly transactionGas?: Given<bigint | undefined> | undefined
  readonly gasLimit?: Given<bigint> | undefined
  readonly baseFee?: Given<bigint> | undefined
  /** The time of the first block; undefined within it for that of the first start. */
  readonly time?: Given<number | undefined> | undefined
}

/** How a chain begins, as far as settings may say it. */
export interface Beginning {
  readonly limits: ChainLimits
  /** The rules of the first block. */
  readonly fork: Fork
  /** The first block; undefined if it is that of another chain, from which this one is forked. */
  readonly first: Pick<Header, 'gasLimit' | 'baseFeePerGas' | 'timestamp'> | undefined
}

/** A setting that contradicts the chain. */
export interface BeginningConflict {
  readonly name: string
  readonly got: string
  readonly where: string
  readonly began: string
}

/** Returns how a chain begins with a block. */
export const beginningWith = (
  config: ChainConfig,
  first: Parameters<typeof forkOfHeader>[1] & NonNullable<Beginning['first']>,
  isForked: boolean,
): Beginning => ({
  limits: config.limits,
  fork: forkOfHeader(config, first),
  first: isForked ? undefined : first,
})

/** Returns the settings that contradict how a chain begins. */
export const findBeginningConflicts = (
  { forkName, codeSize, transactionGas, gasLimit, baseFee, time }: GivenBeginning,
  { limits, fork, first }: Beginning,
): readonly BeginningConflict[] => {
  const conflicts: BeginningConflict[] = []
  const compare = <T>(name: string, given: Given<T> | undefined, began: T): void => {
    if (given === undefined || given.value === began) return
    conflicts.push({ name, got: `${given.value ?? 0}`, where: given.where, began: `${began ?? 0}` })
  }
  compare('genesis-code-size', codeSize, limits.codeSize)
  compare('genesis-transaction-gas', transactionGas, limits.transactionGas)
  compare('fork-name', forkName, fork)
  if (first === undefined) return conflicts
  compare('genesis-gas-limit', gasLimit, first.gasLimit)
  // Blocks before London have no base fee, so the setting of a dev chain has no effect on them.
  if (first.baseFeePerGas !== undefined) compare('genesis-base-fee', baseFee, first.baseFeePerGas)
  if (time?.value !== undefined) compare('genesis-time', time, Number(first.timestamp))
  return conflicts
}
