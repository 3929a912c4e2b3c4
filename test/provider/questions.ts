import { encodeFunctionData, type Hex } from 'viem'
import type { Random } from '../support/random.ts'
import { compileTraffic } from '../support/traffic/contract.ts'
import type { LightNetwork } from './network.ts'

export type Question = readonly [method: string, ...params: readonly unknown[]]

const { abi } = compileTraffic()
const input = (name: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName: name, args })

const quantity = (value: number): string => `0x${value.toString(16)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

/** Code that reads a balance, the hash of a code, an older block's hash and gas, and gives them all. */
const lookAround = (address: string): string =>
  `0x73${address.slice(2)}315f5273${address.slice(2)}3f6020526003430340604052466060525f5460805260a05ff3`

/** Questions about blocks up to the head of a network, of every method that is proven. */
export const createQuestions = (
  { head, contract, accounts, transactions }: Omit<LightNetwork, 'network' | 'rpc'>,
  random: Random,
): (() => Question) => {
  const at = (): string => quantity(random.below(head + 1))
  const account = (): string =>
    random.pick([
      ...accounts,
      contract,
      `0x${random
        .below(2 ** 30)
        .toString(16)
        .padStart(40, '0')}`,
    ])
  const from = random.pick(accounts)
  const data = (): string =>
    random.pick([
      input('fill', BigInt(random.below(60)), BigInt(1 + random.below(4))),
      input('clear', BigInt(random.below(60)), BigInt(1 + random.below(4))),
      input('move', BigInt(random.below(100)), '0x6e6f7465'),
      input('fail', 'on purpose'),
      input('make'),
      '0x',
    ])
  const precompile = (): string =>
    `0x${random.pick([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 256]).toString(16).padStart(40, '0')}`
  const call = (): object =>
    random.pick([
      () => ({ from, to: contract, data: data() }),
      () => ({ from, to: account(), value: quantity(random.below(1_000)) }),
      () => ({ from, data: '0x600a600c600039600a6000f3602a60005260206000f3' }),
      () => ({ from, data: lookAround(account()) }),
      () => ({ to: precompile(), data: `0x${'01'.repeat(random.below(200))}` }),
      () => ({ from, to: contract, data: data(), gas: quantity(30_000 + random.below(60_000)) }),
    ])()
  const overrides = (): object =>
    random.pick([
      () => ({ [contract]: { code: '0x5f5460015401475f5260205ff3', balance: '0x7' } }),
      () => ({ [from]: { balance: '0xffffffffffffffff', nonce: '0x9' } }),
      () => ({ [contract]: { stateDiff: { [word(0)]: word(random.below(9)) } } }),
    ])()
  const range = (): object => {
    const to = random.below(head + 1)
    return {
      fromBlock: quantity(Math.max(0, to - random.below(30))),
      toBlock: quantity(to),
      ...(random.chance(0.5) ? { address: contract } : {}),
    }
  }
  const transaction = (): string => random.pick(transactions)
  const kinds: readonly (() => Question)[] = [
    () => ['eth_getBalance', account(), at()],
    () => ['eth_getTransactionCount', account(), at()],
    () => ['eth_getCode', account(), at()],
    () => ['eth_getStorageAt', contract, quantity(random.below(4)), at()],
    () => ['eth_getProof', account(), [word(random.below(3))], at()],
    () => ['eth_getAccount', account(), at()],
    () => ['eth_getBlockByNumber', at(), random.chance(0.5)],
    () => ['eth_getHeaderByNumber', at()],
    () => ['eth_getBlockTransactionCountByNumber', at()],
    () => ['eth_getBlockReceipts', at()],
    () => ['eth_getTransactionByHash', transaction()],
    () => ['eth_getTransactionReceipt', transaction()],
    () => ['eth_getRawTransactionByHash', transaction()],
    () => ['eth_getTransactionByBlockNumberAndIndex', at(), '0x0'],
    () => ['eth_getLogs', range()],
    () => ['eth_feeHistory', quantity(1 + random.below(8)), at(), [10, 50, 90]],
    () => ['eth_call', call(), at()],
    () => ['eth_call', call(), at(), overrides()],
    () => ['eth_call', call(), at(), {}, { number: quantity(head + 5), time: quantity(2_000_000_000) }],
    () => ['eth_estimateGas', call(), at()],
    // Without a price it would be that of the newest blocks, which go on.
    () => ['eth_createAccessList', { ...call(), gasPrice: '0x77359400' }, at()],
    () => [
      'eth_simulateV1',
      { blockStateCalls: [{ calls: [call(), call()], stateOverrides: overrides() }, { calls: [call()] }] },
      at(),
    ],
  ]
  return () => random.pick(kinds)()
}
