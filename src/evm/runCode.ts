import { keccak256 } from '../base/crypto/crypto.ts'
import type { Fork } from '../chain/config/forks.ts'
import { intrinsicGas } from '../chain/transaction/intrinsicGas.ts'
import { createEvm } from './evm.ts'
import { loadEvmModules } from './host/evmModules.ts'
import { precompilesAt } from './precompiles/precompileTable.ts'
import { InMemoryState } from './stateTest/inMemoryState.ts'
import type { BlockContext, CallMessage, CallResult, InvalidTransaction } from './types.ts'

/** Executes code in an empty state, once or, for a measurement, repeatedly. */

export interface RunCodeOptions {
  readonly code: Uint8Array
  readonly input: Uint8Array
  readonly gas: bigint
  readonly fork: Fork
}

interface CodeResult {
  readonly output: Uint8Array
  /** The gas used by the code alone, without a transaction's intrinsic gas. */
  readonly gasUsed: bigint
  readonly error: string | undefined
  /** The duration of the fastest run. */
  readonly milliseconds: number
  readonly runs: number
}

const benchMilliseconds = 1_000

const from = new Uint8Array(20).fill(0x11)
const to = new Uint8Array(20).fill(0x22)

const block: BlockContext = {
  number: 1n,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit: 2n ** 62n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFee: 0n,
  excessBlobGas: 0n,
  blobParameters: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  blockHash: (number) => keccak256(Buffer.from(number.toString())),
}

export const runCode = async (
  { code, input, gas, fork }: RunCodeOptions,
  isBench: boolean,
): Promise<CodeResult> => {
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  const state = new InMemoryState([
    { address: from, nonce: 0n, balance: 10n ** 27n, code: new Uint8Array(0), storage: [] },
    { address: to, nonce: 1n, balance: 0n, code, storage: [] },
  ])
  const message: CallMessage = {
    from,
    to,
    value: 0n,
    data: input,
    gasLimit: gas,
    gasPrice: 0n,
    accessList: [],
    blobVersionedHashes: [],
    authorizationList: [],
  }
  const intrinsic = intrinsicGas(fork, message)
  let milliseconds = Number.POSITIVE_INFINITY
  let runs = 0
  let result: CallResult | InvalidTransaction
  const end = performance.now() + (isBench ? benchMilliseconds : 0)
  do {
    // Each run starts from the same state.
    const execution = evm.createExecution({ fork, chainId: 1n, evmState: state, block })
    const start = performance.now()
    result = execution.call({ ...message, gasLimit: gas + intrinsic })
    milliseconds = Math.min(milliseconds, performance.now() - start)
    runs++
  } while (performance.now() < end)
  if ('valid' in result && !result.valid)
    return { output: new Uint8Array(0), gasUsed: 0n, error: result.reason, milliseconds, runs }
  const { output, gasUsed, error } = result as CallResult // the other member has just been answered
  return { output, gasUsed: gasUsed - intrinsic, error, milliseconds, runs }
}
