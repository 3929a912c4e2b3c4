import { since } from '../chain/forks.ts'
import type { HostState } from './host.ts'
import { writeBytesAsWord, writeWord } from './words.ts'

/** Tells the machine what its block says, and which small addresses are precompiles. */
export const writeContext = ({ instance, context, precompiles }: HostState, blobBaseFee: bigint): void => {
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
  for (const id of precompiles.keys()) bytes[at.PRECOMPILES + id] = 1
}
