import { privateKeyToAddress } from '../../src/base/crypto/crypto.ts'
import { concatBytes, fromBigInt } from '../../src/base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../src/base/encoding/hex.ts'
import { type Fork, since } from '../../src/chain/config/forks.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { signAuthorization, signTransaction } from '../../src/chain/transaction/signature.ts'
import type { Transaction, UnsignedTransaction } from '../../src/chain/transaction/transaction.ts'
import { parseForkName } from '../../src/evm/stateTest/forkNames.ts'
import type { StateTest } from '../../src/evm/stateTest/testFormat.ts'
import { createRandom, type Random } from '../support/random.ts'
import { initCode, runtimeCode, type Surroundings } from './programs.ts'

/** One random transaction over one random state, in the format of state tests: any client can run it. */

export interface FuzzCase {
  readonly forkName: string
  readonly fork: Fork
  readonly test: StateTest
  readonly transaction: Transaction
}

const forkNames = [
  ['Cancun', 'cancun'],
  ['Prague', 'prague'],
  ['Prague', 'prague'],
  ['Osaka', 'osaka'],
  ['Osaka', 'osaka'],
] as const

const keyOf = (index: number): Uint8Array => fromBigInt(0x1000n + BigInt(index), 32)
const keys = Array.from({ length: 4 }, (_, index) => keyOf(index))
const owners = keys.map((key) => privateKeyToAddress(key))
const contracts = Array.from({ length: 5 }, (_, index) => new Uint8Array(20).fill(0xc0 + index))
const strangers = [new Uint8Array(20).fill(0x99), new Uint8Array(20)]
const coinbase = new Uint8Array(20).fill(0xba)

const delegation = (to: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(0xef, 0x01, 0x00), to)

const word = (value: number): string => toHex(fromBigInt(BigInt(value), 32))

const storageOf = (random: Random): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [
      word(random.below(6)),
      word(1 + random.below(random.chance(0.8) ? 3 : 1_000_000)),
    ]),
  )

const preState = (surroundings: Surroundings): StateTest['pre'] => {
  const { random, fork } = surroundings
  const pre: StateTest['pre'] = {}
  for (const address of contracts)
    pre[toHex(address)] = {
      nonce: toQuantity(random.below(3)),
      balance: toQuantity(random.pick([0, 0, 1, 5_000])),
      code: toHex(runtimeCode(surroundings)),
      storage: storageOf(random),
    }
  owners.forEach((address, index) => {
    if (index === 3 && random.chance(0.5)) return
    const isDelegated = since(fork, 'prague') && random.chance(0.25)
    pre[toHex(address)] = {
      nonce: toQuantity(random.below(2)),
      balance: toQuantity(index === 0 ? 10n ** 20n : BigInt(random.below(3))),
      code: isDelegated ? toHex(delegation(random.pick([...contracts, ...owners]))) : '0x',
      storage: {},
    }
  })
  return pre
}

const environment = (random: Random, fork: Fork): StateTest['env'] => ({
  currentCoinbase: toHex(random.chance(0.9) ? coinbase : random.pick([...contracts, ...owners])),
  ...(since(fork, 'paris')
    ? { currentDifficulty: '0x0', currentRandom: toHex(fromBigInt(random.integer(256), 32)) }
    : { currentDifficulty: toQuantity(131_072 + random.below(1_000)) }),
  currentGasLimit: toQuantity(30_000_000),
  currentNumber: toQuantity(1_000 + random.below(100)),
  currentTimestamp: toQuantity(1_700_000_000 + random.below(1_000)),
  currentBaseFee: toQuantity(random.pick([0, 7, 10])),
  currentExcessBlobGas: toQuantity(random.pick([0, 0, 393_216, 30_000_000])),
})

const accessListOf = ({ random, addresses }: Surroundings) =>
  Array.from({ length: random.below(4) }, () => ({
    address: random.pick(addresses),
    storageKeys: Array.from({ length: random.below(3) }, () => fromBigInt(BigInt(random.below(6)), 32)),
  }))

const authorizationsOf = ({ random, addresses }: Surroundings, pre: StateTest['pre']) =>
  Array.from({ length: 1 + random.below(3) }, () => {
    const owner = random.below(keys.length)
    const nonce = BigInt(pre[toHex(owners[owner] as Uint8Array)]?.nonce ?? 0)
    // The sender's nonce is counted up before its own authorization is looked at.
    const expected = owner === 0 ? nonce + 1n : nonce
    return signAuthorization(
      {
        chainId: random.pick([0n, 1n, 1n, 1n, 5n]),
        address: random.pick(addresses),
        nonce: random.chance(0.85) ? expected : expected + 1n,
      },
      keys[owner] as Uint8Array,
    )
  })

const typesOf = (fork: Fork): readonly (0 | 1 | 2 | 3 | 4)[] => {
  if (since(fork, 'prague')) return [0, 1, 2, 2, 3, 4, 4]
  if (since(fork, 'cancun')) return [0, 1, 2, 2, 3]
  if (since(fork, 'london')) return [0, 1, 2, 2]
  return since(fork, 'berlin') ? [0, 1, 1] : [0]
}

const blobCount = (random: Random): number => (random.chance(0.9) ? 1 + random.below(3) : 4 + random.below(7))

const gasLimitOf = (random: Random): bigint =>
  BigInt(random.chance(0.05) ? 20_000 + random.below(60_000) : 80_000 + random.below(400_000))

const randomTransaction = (surroundings: Surroundings, pre: StateTest['pre']): UnsignedTransaction => {
  const { random, fork, addresses } = surroundings
  const type = random.pick(typesOf(fork))
  const isCreation = type < 3 && random.chance(0.12)
  const nonce = BigInt(pre[toHex(owners[0] as Uint8Array)]?.nonce ?? 0)
  const common = {
    nonce: random.chance(0.99) ? nonce : nonce + 1n,
    gasLimit: gasLimitOf(random),
    to: isCreation ? undefined : random.chance(0.85) ? random.pick(contracts) : random.pick(addresses),
    value: random.pick([0n, 0n, 1n, 1_000n, random.integer(70)]),
    data: isCreation
      ? initCode(surroundings)
      : random.bytes(random.pick([0, 0, 4, 4, 36, 36, random.below(200), 1_500])),
  }
  const gasPrice = BigInt(random.pick(random.chance(0.98) ? [10, 12, 1_000] : [7]))
  const maxPriorityFeePerGas = BigInt(random.below(10))
  const feeMarket = {
    ...common,
    chainId: 1n,
    maxPriorityFeePerGas,
    maxFeePerGas: maxPriorityFeePerGas + BigInt(random.pick(random.chance(0.98) ? [10, 20] : [0, 5])),
    accessList: accessListOf(surroundings),
  }
  // Beyond the cap of EIP-7825, where there is nothing to run up the gas.
  if (since(fork, 'cancun') && random.chance(0.004))
    return { type: 2, ...feeMarket, gasLimit: 16_777_216n + BigInt(random.below(2)), to: strangers[0] }
  switch (type) {
    case 0:
      return {
        type,
        ...common,
        chainId: since(fork, 'spuriousDragon') && random.chance(0.5) ? 1n : undefined,
        gasPrice,
      }
    case 1:
      return { type, ...common, chainId: 1n, gasPrice, accessList: accessListOf(surroundings) }
    case 2:
      return { type, ...feeMarket }
    case 3:
      return {
        type,
        ...feeMarket,
        to: common.to ?? coinbase,
        maxFeePerBlobGas: BigInt(random.pick(random.chance(0.98) ? [10_000, 100_000] : [1])),
        blobVersionedHashes: Array.from({ length: blobCount(random) }, (_, index) =>
          Uint8Array.of(1, ...random.bytes(30), index),
        ),
      }
    case 4:
      return {
        type,
        ...feeMarket,
        to: common.to ?? coinbase,
        authorizations: authorizationsOf(surroundings, pre),
      }
  }
}

const hex = (value: bigint): string => toQuantity(value)

/** The transaction as a state test writes it, for clients that do not read its bytes. */
const template = (tx: Transaction): StateTest['transaction'] => ({
  data: [toHex(tx.data)],
  gasLimit: [hex(tx.gasLimit)],
  value: [hex(tx.value)],
  nonce: hex(tx.nonce),
  to: tx.to === undefined ? '' : toHex(tx.to),
  sender: toHex(owners[0] as Uint8Array),
  secretKey: toHex(keys[0] as Uint8Array),
  ...(tx.type < 2 && 'gasPrice' in tx ? { gasPrice: hex(tx.gasPrice) } : {}),
  ...('maxFeePerGas' in tx
    ? { maxFeePerGas: hex(tx.maxFeePerGas), maxPriorityFeePerGas: hex(tx.maxPriorityFeePerGas) }
    : {}),
  ...('accessList' in tx
    ? {
        accessLists: [
          tx.accessList.map(({ address, storageKeys }) => ({
            address: toHex(address),
            storageKeys: storageKeys.map(toHex),
          })),
        ],
      }
    : {}),
  ...(tx.type === 3
    ? { maxFeePerBlobGas: hex(tx.maxFeePerBlobGas), blobVersionedHashes: tx.blobVersionedHashes.map(toHex) }
    : {}),
  ...(tx.type === 4
    ? {
        authorizationList: tx.authorizations.map(({ chainId, address, nonce, yParity, r, s }) => ({
          chainId: hex(chainId),
          address: toHex(address),
          nonce: hex(nonce),
          v: hex(BigInt(yParity)),
          r: hex(r),
          s: hex(s),
        })),
      }
    : {}),
})

const randomAt = (seed: number, index: number): Random =>
  createRandom((Math.imul(seed, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca77)) >>> 0)

/** Case `index` of the run with this seed: each can be made again on its own. */
export const randomCase = (seed: number, index: number): FuzzCase => {
  const random = randomAt(seed, index)
  const [forkName, fork] = random.pick(forkNames)
  return createCase(random, forkName, fork)
}

/** The same for one fork. */
export const randomCaseAt = (forkName: string, seed: number, index: number): FuzzCase => {
  const fork = parseForkName(forkName)
  if (fork === undefined) throw new Error(`no fork is called ${forkName}`)
  return createCase(randomAt(seed, index), forkName, fork)
}

const createCase = (random: Random, forkName: string, fork: Fork): FuzzCase => {
  const surroundings = {
    random,
    fork,
    addresses: [...contracts, ...contracts, ...owners, ...strangers, coinbase],
  }
  const pre = preState(surroundings)
  const transaction = signTransaction(randomTransaction(surroundings, pre), keys[0] as Uint8Array)
  const expectation = {
    hash: '0x',
    logs: '0x',
    indexes: { data: 0, gas: 0, value: 0 },
    txbytes: toHex(encodeTransaction(transaction)),
  }
  const test = {
    env: environment(random, fork),
    pre,
    transaction: template(transaction),
    post: { [forkName]: [expectation] },
  }
  return { forkName, fork, test, transaction }
}
