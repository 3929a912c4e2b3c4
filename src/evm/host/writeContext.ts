import { since } from '../../chain/config/forks.ts'
import { ethereumLimits } from '../../chain/config/limits.ts'
import type { HostState } from './createHost.ts'
import { writeBytesAsWord, writeWord } from './words.ts'

/** The flags of assembly/state/precompileAddresses.ts. */
const isPrecompileFlag = 1
const isWarmFlag = 2

/** Writes the fields of the block and the addresses of the precompiles into the EVM's memory. */
export const writeContext = (
  { instance, context, precompiles, forkPrecompiles }: HostState,
  blobBaseFee: bigint,
): void => {
  const { block, chainId, fork } = context
  const { view, bytes, at } = instance
  writeBytesAsWord(bytes, at.CTX_COINBASE, block.coinbase)
  writeWord(view, at.CTX_TIMESTAMP, block.timestamp)
  writeWord(view, at.CTX_NUMBER, block.number)
  if (since(fork, 'paris') && block.prevRandao !== undefined) {
    writeBytesAsWord(bytes, at.CTX_RANDAO, block.prevRandao)
  } else writeWord(view, at.CTX_RANDAO, block.difficulty)
  writeWord(view, at.CTX_GASLIMIT, block.gasLimit)
  writeWord(view, at.CTX_CHAINID, chainId)
  writeWord(view, at.CTX_BASEFEE, block.baseFee)
  writeWord(view, at.CTX_BLOBFEE, blobBaseFee)
  bytes.fill(0, at.PRECOMPILES, at.PRECOMPILES + at.PRECOMPILE_LIMIT)
  for (const id of forkPrecompiles.keys()) bytes[at.PRECOMPILES + id] = isWarmFlag
  for (const id of precompiles.keys())
    if (id < at.PRECOMPILE_LIMIT)
      bytes[at.PRECOMPILES + id] = (bytes[at.PRECOMPILES + id] as number) | isPrecompileFlag
  const moved = context.precompiles?.moved ?? []
  for (const [index, { address }] of moved.entries()) writeBytesAsWord(bytes, at.MOVED + index * 32, address)
  instance.run.setMovedCount(moved.length)
  instance.run.setMaxCode((context.chainLimits ?? ethereumLimits).codeSize)
}
