import { maxUint64 } from '../../base/encoding/bytes.ts'
import type { Header } from '../../chain/block/header.ts'
import { type ChainConfig, forkAt } from '../../chain/config/chainConfig.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { BlockOverride } from '../../chain/state/overrides.ts'
import { type BlockStateCalls, maxSimulatedBlocks } from '../../chain/state/simulation.ts'
import { SimulationError } from './simulationError.ts'

/** A block to simulate, with the fields that are known before execution. */
export interface PlannedBlock extends BlockStateCalls {
  readonly fork: Fork
  readonly number: bigint
  readonly timestamp: bigint
  readonly beneficiary: Uint8Array
  readonly gasLimit: bigint
  readonly difficulty: bigint
  readonly overrides: BlockOverride
}

const maxBlocks = BigInt(maxSimulatedBlocks)
const secondsPerBlock = 12n

const tooMany = (): SimulationError => new SimulationError('too many blocks', 'too many blocks')

interface BlockPosition {
  readonly block: BlockStateCalls
  readonly number: bigint
  readonly timestamp: bigint
}

const emptyBlock: BlockStateCalls = { calls: [] }

/** Gives each block its number and time, both increasing. Empty blocks fill gaps between numbers. */
const assignNumbers = (base: Header, blocks: readonly BlockStateCalls[]): BlockPosition[] => {
  const positions: BlockPosition[] = []
  let { number, timestamp } = base
  for (const block of blocks) {
    const { number: wanted = number + 1n, time } = block.blockOverrides ?? {}
    if (wanted <= number)
      throw new SimulationError('block number', `block numbers must be in order: ${wanted} <= ${number}`)
    if (wanted - base.number > maxBlocks) throw tooMany()
    while (number + 1n < wanted) {
      number += 1n
      timestamp += secondsPerBlock
      positions.push({ block: emptyBlock, number, timestamp })
    }
    if (time !== undefined && time <= timestamp)
      throw new SimulationError(
        'block timestamp',
        `block timestamps must be in order: ${time} <= ${timestamp}`,
      )
    number = wanted
    timestamp = time ?? timestamp + secondsPerBlock
    if (timestamp > maxUint64)
      throw new SimulationError('block timestamp', `block timestamps end at ${maxUint64}, got ${timestamp}`)
    positions.push({ block, number, timestamp })
  }
  return positions
}

/** Plans the blocks. Beneficiary, gas limit and difficulty are those of the previous block unless overridden. */
export const planBlocks = (
  config: ChainConfig,
  base: Header,
  blocks: readonly BlockStateCalls[],
): PlannedBlock[] => {
  if (BigInt(blocks.length) > maxBlocks) throw tooMany()
  let { beneficiary, gasLimit, difficulty } = base
  return assignNumbers(base, blocks).map(({ block, number, timestamp }) => {
    const overrides = block.blockOverrides ?? {}
    const isMerged = difficulty === 0n || since(forkAt(config, number, timestamp), 'paris')
    beneficiary = overrides.feeRecipient ?? beneficiary
    gasLimit = overrides.gasLimit ?? gasLimit
    difficulty = isMerged ? 0n : (overrides.difficulty ?? difficulty)
    const fork = forkAt(config, number, timestamp, isMerged)
    return { ...block, overrides, fork, number, timestamp, beneficiary, gasLimit, difficulty }
  })
}
