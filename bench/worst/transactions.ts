import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { concatBytes, fromBigInt } from '../../src/base/encoding/bytes.ts'
import type { WorstCase } from './case.ts'
import { block, contract, createOwnEvm, createState } from './machines.ts'
import { caller, type Program } from './programs.ts'

const count = 1_000

/** Whole ERC-20 transfers, each a transaction with its checks, fees, receipt fields and changes. */
export const transactionsCase = (token: Program): WorstCase => ({
  name: `${count} ERC-20 transfers as transactions`,
  sides: {
    perihelion: async () => {
      const machine = await createOwnEvm()
      const selector = keccak256(new TextEncoder().encode('transfer(address,uint256)')).subarray(0, 4)
      const fields = {
        type: 2,
        ...{ chainId: 1n, gasLimit: 100_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
        ...{ to: contract, value: 0n, accessList: [], maxFeePerBlobGas: 0n, blobVersionedHashes: [] },
        authorizationList: [],
      } as const
      return {
        run: () => {
          const evmState = createState(token)
          const execution = machine.createExecution({ fork: 'prague', chainId: 1n, evmState, block })
          let gas = 0
          const start = performance.now()
          for (let nonce = 0; nonce < count; nonce++) {
            const data = concatBytes(selector, fromBigInt(BigInt(0x1000000 + nonce), 32), fromBigInt(1n, 32))
            const result = execution.transact({ ...fields, nonce: BigInt(nonce), data }, caller)
            if (!result.valid || !result.success) throw new Error('a transfer failed')
            gas += Number(result.gasUsed)
            execution.drainChanges()
          }
          return { gas, ms: performance.now() - start }
        },
      }
    },
  },
})
