import { keccak256, privateKeyToAddress } from '../../base/crypto/crypto.ts'
import type { BlobParameters } from '../../chain/config/blobParameters.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { GenesisAccount } from '../../chain/genesis/genesisAccount.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { TransactionError, type UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import type { BlockContext } from '../types.ts'
import { InMemoryState } from './inMemoryState.ts'
import type { Environment, Expectation, StateTest, TransactionTemplate } from './testFormat.ts'
import { toAddress, toBytes, toInteger, toWord } from './testValues.ts'

/** Converts the JSON of a test to the types of the EVM. */

/** Returns the initial accounts of a test. */
export const toGenesisAccounts = (pre: StateTest['pre']): readonly GenesisAccount[] =>
  Object.entries(pre).map(([address, { nonce, balance, code, storage }]) => ({
    address: toAddress(address),
    nonce: toInteger(nonce),
    balance: toInteger(balance),
    code: toBytes(code),
    storage: Object.entries(storage).map(([slot, value]) => [toWord(slot), toWord(value)] as const),
  }))

export const createInMemoryState = (pre: StateTest['pre']): InMemoryState =>
  new InMemoryState(toGenesisAccounts(pre))

/**
 * Returns the blob parameters of a fork: EIP-4844 and EIP-7691, and the two steps of EIP-7892 that mainnet
 * took after Osaka.
 */
const defaultBlobParameters = (forkName: string, fork: Fork): BlobParameters | undefined => {
  if (forkName === 'BPO1') return { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193n }
  if (forkName === 'BPO2') return { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671n }
  if (since(fork, 'prague')) return { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n }
  if (since(fork, 'cancun')) return { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }
  return undefined
}

const blobParametersOf = (test: StateTest, forkName: string, fork: Fork): BlobParameters | undefined => {
  const named = test.config?.blobSchedule?.[forkName]
  if (named === undefined) return defaultBlobParameters(forkName, fork)
  return {
    target: Number(named.target),
    max: Number(named.max),
    baseFeeUpdateFraction: toInteger(named.baseFeeUpdateFraction),
  }
}

const baseFeeOf = (env: Environment, fork: Fork): bigint => {
  if (!since(fork, 'london')) return 0n
  // The tests' default is ten.
  return env.currentBaseFee === undefined ? 10n : toInteger(env.currentBaseFee)
}

export const toTestBlockContext = (test: StateTest, forkName: string, fork: Fork): BlockContext => {
  const { env } = test
  const isMerged = since(fork, 'paris')
  return {
    number: toInteger(env.currentNumber),
    timestamp: toInteger(env.currentTimestamp),
    coinbase: toAddress(env.currentCoinbase),
    gasLimit: toInteger(env.currentGasLimit),
    difficulty: isMerged ? 0n : toInteger(env.currentDifficulty ?? '0x0'),
    prevRandao: isMerged ? toWord(env.currentRandom ?? env.currentDifficulty ?? '0x0') : undefined,
    baseFee: baseFeeOf(env, fork),
    excessBlobGas: since(fork, 'cancun') ? toInteger(env.currentExcessBlobGas ?? '0x0') : undefined,
    blobParameters: blobParametersOf(test, forkName, fork),
    // The tests' convention: the hash of a block is that of its number in decimal.
    blockHash: (number) => keccak256(Buffer.from(number.toString())),
  }
}

export interface TransactionWithSender {
  readonly transaction: UnsignedTransaction
  readonly sender: Uint8Array
}

/** Converts the transaction of a test. Throws a TransactionError if it cannot be decoded. */
export const toTransaction = (
  template: TransactionTemplate,
  { indexes, txbytes }: Expectation,
  fork: Fork,
): TransactionWithSender => {
  if (txbytes === undefined)
    return { transaction: buildTransaction(template, indexes), sender: senderOf(template) }
  const transaction = decodeTransaction(toBytes(txbytes))
  const sender = recoverSender(transaction, fork)
  if (sender === undefined) throw new TransactionError('signature', 'the signature has no signer')
  return { transaction, sender }
}

const senderOf = ({ sender, secretKey }: TransactionTemplate): Uint8Array => {
  if (sender !== undefined) return toAddress(sender)
  if (secretKey === undefined) throw new Error('the test names neither sender nor key')
  return privateKeyToAddress(toWord(secretKey))
}

const limited = (text: string, bits: bigint, name: string): bigint => {
  // "0x:bigint …" is the tests' form of values that do not fit.
  const value = text.startsWith('0x:bigint ') ? 1n << bits : toInteger(text)
  if (value >> bits !== 0n) throw new TransactionError('encoding', `${name} is over ${bits} bits`)
  return value
}

const pickOf = (items: readonly string[], index: number, name: string): string => {
  const item = items[index]
  if (item === undefined) throw new Error(`the test has no ${name} of index ${index}`)
  return item
}

const buildTransaction = (
  template: TransactionTemplate,
  indexes: Expectation['indexes'],
): UnsignedTransaction => {
  const common = {
    chainId: 1n,
    nonce: limited(template.nonce, 64n, 'nonce'),
    gasLimit: limited(pickOf(template.gasLimit, indexes.gas, 'gasLimit'), 64n, 'gasLimit'),
    to: template.to === '' || template.to === '0x' ? undefined : toAddress(template.to),
    value: limited(pickOf(template.value, indexes.value, 'value'), 256n, 'value'),
    data: toBytes(pickOf(template.data, indexes.data, 'data')),
  }
  const entries = template.accessLists?.[indexes.data]
  const accessList = (entries ?? []).map(({ address, storageKeys }) => ({
    address: toAddress(address),
    storageKeys: storageKeys.map(toWord),
  }))
  if (template.maxFeePerGas === undefined) {
    const gasPrice = limited(template.gasPrice ?? '0x0', 256n, 'gasPrice')
    if (entries === undefined || entries === null) return { type: 0, ...common, gasPrice }
    return { type: 1, ...common, gasPrice, accessList }
  }
  const feeMarket = {
    ...common,
    accessList,
    maxFeePerGas: limited(template.maxFeePerGas, 256n, 'maxFeePerGas'),
    maxPriorityFeePerGas: limited(template.maxPriorityFeePerGas ?? '0x0', 256n, 'maxPriorityFeePerGas'),
  }
  if (template.authorizationList !== undefined)
    return { type: 4, ...feeMarket, authorizations: authorizationsOf(template.authorizationList) }
  if (template.blobVersionedHashes === undefined && template.maxFeePerBlobGas === undefined)
    return { type: 2, ...feeMarket }
  return {
    type: 3,
    ...feeMarket,
    maxFeePerBlobGas: limited(template.maxFeePerBlobGas ?? '0x0', 256n, 'maxFeePerBlobGas'),
    blobVersionedHashes: (template.blobVersionedHashes ?? []).map(toWord),
  }
}

const authorizationsOf = (list: NonNullable<TransactionTemplate['authorizationList']>) =>
  list.map(({ chainId, address, nonce, v, yParity, r, s }) => ({
    chainId: toInteger(chainId),
    address: toAddress(address),
    nonce: limited(nonce, 64n, 'authorization nonce'),
    yParity: Number(toInteger(yParity ?? v ?? '0x0')),
    r: toInteger(r),
    s: toInteger(s),
  }))
