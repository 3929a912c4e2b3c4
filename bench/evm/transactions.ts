import { keccak256 } from '../../src/base/crypto.ts'
import { concatBytes, fromBigInt } from '../../src/base/encoding/bytes.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/modules.ts'
import { precompilesAt } from '../../src/evm/precompiles/table.ts'
import { block, contract, createState } from './peers.ts'
import { caller, type Program } from './programs.ts'

const count = 5_000

/** Whole ERC-20 transfers, each a transaction with its checks, fees, receipt fields and changes; microseconds each. */
export const measureTransactions = async (token: Program): Promise<number> => {
  const machine = createEvm(await loadEvmModules(), precompilesAt)
  const selector = keccak256(new TextEncoder().encode('transfer(address,uint256)')).subarray(0, 4)
  const fields = {
    type: 2,
    chainId: 1n,
    gasLimit: 100_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    to: contract,
    value: 0n,
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
  } as const
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const execution = machine.createExecution({
      fork: 'prague',
      chainId: 1n,
      evmState: createState(token),
      block,
    })
    const start = performance.now()
    for (let i = 0; i < count; i++) {
      const data = concatBytes(selector, fromBigInt(BigInt(0x1000000 + i), 32), fromBigInt(1n, 32))
      const result = execution.transact({ ...fields, nonce: BigInt(i), data }, caller)
      if (!result.valid || !result.success) throw new Error('a transfer failed')
      execution.drainChanges()
    }
    best = Math.min(best, performance.now() - start)
  }
  return (best * 1000) / count
}
