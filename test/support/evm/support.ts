import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { emptyBytes, fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { fromHex } from '../../../src/base/encoding/hex.ts'
import type { Fork } from '../../../src/chain/config/forks.ts'
import type { GenesisAccount } from '../../../src/chain/genesis/genesisAccount.ts'
import type { EvmStateReader } from '../../../src/chain/state/evmState.ts'
import { createEvm, type Evm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { InMemoryState } from '../../../src/evm/stateTest/inMemoryState.ts'
import type {
  BlockContext,
  CallMessage,
  CallResult,
  Execution,
  ExecutionContext,
  TransactionFields,
  TransactionResult,
} from '../../../src/evm/types.ts'

export const address = (value: bigint): Uint8Array => fromBigInt(value, 20)
export const word = (value: bigint): Uint8Array => fromBigInt(value, 32)

export const sender = address(0x5e4de4n)
export const contract = address(0xc0de00n)
export const coinbase = address(0xc01bn)

/** Decodes instructions in hex that are separated by spaces. */
export const code = (text: string): Uint8Array => fromHex(`0x${text.replaceAll(/\s+/g, '')}`)

/** Returns the PUSH32 of a value. */
export const push = (value: bigint): string => `7f${value.toString(16).padStart(64, '0')}`

export const account = (at: Uint8Array, fields: Partial<GenesisAccount> = {}): GenesisAccount => ({
  address: at,
  nonce: 0n,
  balance: 0n,
  code: emptyBytes,
  storage: [],
  ...fields,
})

export const createTestMachine = async (): Promise<Evm> => createEvm(await loadEvmModules(), precompilesAt)

export const block: BlockContext = {
  number: 1000n,
  timestamp: 1_700_000_000n,
  coinbase,
  gasLimit: 2n ** 62n,
  difficulty: 0n,
  prevRandao: word(7n),
  baseFee: 7n,
  excessBlobGas: 0n,
  blobParameters: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  blockHash: (number) => keccak256(word(number)),
}

export const worldOf = (...accounts: readonly GenesisAccount[]): InMemoryState => new InMemoryState(accounts)

/** A state with a funded sender and code at `contract`. */
export const worldWithCode = (text: string, ...others: readonly GenesisAccount[]): InMemoryState =>
  worldOf(
    account(sender, { balance: 10n ** 24n }),
    account(contract, { nonce: 1n, code: code(text) }),
    ...others,
  )

export const begin = (
  machine: Evm,
  evmState: EvmStateReader,
  fork: Fork = 'osaka',
  more: Partial<ExecutionContext> = {},
): Execution => machine.createExecution({ fork, chainId: 1n, evmState, block, ...more })

export const message = (fields: Partial<CallMessage> = {}): CallMessage => ({
  from: sender,
  to: contract,
  value: 0n,
  data: emptyBytes,
  gasLimit: 10_000_000n,
  gasPrice: 7n,
  accessList: [],
  blobVersionedHashes: [],
  authorizationList: [],
  ...fields,
})

export const transaction = (fields: Partial<TransactionFields> = {}): TransactionFields => ({
  type: 2,
  chainId: 1n,
  nonce: 0n,
  gasLimit: 1_000_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 2n,
  to: contract,
  value: 0n,
  data: emptyBytes,
  accessList: [],
  maxFeePerBlobGas: 0n,
  blobVersionedHashes: [],
  authorizationList: [],
  ...fields,
})

/** Returns the result of a call that must not be rejected. */
export const run = (execution: Execution, fields: Partial<CallMessage> = {}): CallResult => {
  const result = execution.call(message(fields))
  if (!result.valid) throw new Error(result.reason)
  return result
}

/** Returns the result of a transaction that must be valid. */
export const transact = (
  execution: Execution,
  fields: Partial<TransactionFields> = {},
  from: Uint8Array = sender,
): TransactionResult => {
  const result = execution.transact(transaction(fields), from)
  if (!result.valid) throw new Error(result.reason)
  return result
}

/** Instructions that return the top of the stack. */
export const returnTop = '5f52 60205ff3'
