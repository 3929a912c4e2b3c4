import { toHex, toQuantity } from '../../src/base/hex.ts'
import { initCode, runtimeCode } from '../fuzz/programs.ts'
import { createRandom, type Random } from '../fuzz/random.ts'

/**
 * A genesis block with contracts made of random programs, and random calls to them: what a call, an estimate and an
 * access list answer there is known from geth. `geth.json` keeps the calls with their answers, so that the programs that
 * are made here may change.
 */

export interface RandomCall {
  readonly method: 'eth_call' | 'eth_estimateGas' | 'eth_createAccessList'
  readonly params: readonly unknown[]
}

const seed = 20_261_115
const contracts = Array.from({ length: 8 }, (_, index) => new Uint8Array(20).fill(0xc0 + index))
const richSender = new Uint8Array(20).fill(0xa1)
const nobody = new Uint8Array(20).fill(0x99)
const addresses = [...contracts, richSender, nobody]
/** Forks by block and by time, all from the start. */
const forksAtStart = [
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'],
  ...['berlin', 'london'],
].map((name) => [`${name}Block`, 0])

export const createGenesis = (): object => {
  const random = createRandom(seed)
  const alloc = Object.fromEntries(
    contracts.map((address) => [
      toHex(address),
      {
        balance: toQuantity(BigInt(random.below(2) * 10_000)),
        nonce: '0x1',
        code: toHex(runtimeCode({ random, fork: 'osaka', addresses })),
        storage: Object.fromEntries([0, 1, 2].map((slot) => [word(slot), word(1 + random.below(200))])),
      },
    ]),
  )
  return {
    config: {
      chainId: 4711,
      ...Object.fromEntries(forksAtStart),
      mergeNetsplitBlock: 0,
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
      osakaTime: 0,
      blobSchedule: Object.fromEntries(
        [
          ['cancun', 3, 6, 3_338_477] as const,
          ['prague', 6, 9, 5_007_716] as const,
          ['osaka', 6, 9, 5_007_716] as const,
        ].map(([name, target, max, baseFeeUpdateFraction]) => [name, { target, max, baseFeeUpdateFraction }]),
      ),
    },
    timestamp: '0x66000000',
    gasLimit: '0x3938700',
    difficulty: '0x0',
    baseFeePerGas: '0x3b9aca00',
    coinbase: toHex(new Uint8Array(20).fill(0xcb)),
    alloc: { ...alloc, [toHex(richSender)]: { balance: toQuantity(10n ** 24n) } },
  }
}

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

const stateOverrides = (random: Random, canMove: boolean): object | undefined => {
  if (random.chance(0.4)) return undefined
  const target = random.pick(contracts)
  const members: Record<string, unknown> = {}
  if (random.chance(0.5)) members.code = toHex(runtimeCode({ random, fork: 'osaka', addresses }))
  if (random.chance(0.4)) members.balance = toQuantity(BigInt(random.below(100_000)))
  if (random.chance(0.2)) members.nonce = toQuantity(1 + random.below(50))
  const slots = Object.fromEntries([0, 1, 4].map((slot) => [word(slot), word(random.below(3))]))
  if (random.chance(0.5)) members[random.chance(0.5) ? 'state' : 'stateDiff'] = slots
  const overrides: Record<string, unknown> = { [toHex(target)]: members }
  if (canMove && random.chance(0.15))
    overrides[`0x${'00'.repeat(19)}04`] = { movePrecompileToAddress: toHex(nobody) }
  return overrides
}

const blockOverrides = (random: Random): object | undefined => {
  if (random.chance(0.6)) return undefined
  return {
    ...(random.chance(0.5) ? { number: toQuantity(random.below(1000)) } : {}),
    ...(random.chance(0.5) ? { time: toQuantity(0x66000000 + random.below(1000)) } : {}),
    ...(random.chance(0.3) ? { gasLimit: toQuantity(10_000_000 + random.below(1000)) } : {}),
    ...(random.chance(0.3) ? { feeRecipient: toHex(random.pick(addresses)) } : {}),
    ...(random.chance(0.3) ? { prevRandao: toHex(random.bytes(32)) } : {}),
    ...(random.chance(0.3) ? { baseFeePerGas: toQuantity(random.below(2_000_000_000)) } : {}),
    ...(random.chance(0.3) ? { blobBaseFee: toQuantity(random.below(1000)) } : {}),
  }
}

const fees = (random: Random, isPaid: boolean): object => {
  if (!isPaid && random.chance(0.6)) return {}
  if (random.chance(0.5)) return { gasPrice: toQuantity(2_000_000_000 + random.below(100)) }
  return {
    maxFeePerGas: toQuantity(isPaid ? 3_000_000_000 : random.pick([3_000_000_000, 3_000_000_000, 5])),
    maxPriorityFeePerGas: toQuantity(random.below(1000)),
  }
}

const transaction = (random: Random, method: RandomCall['method']): object => {
  const isCreation = random.chance(0.08)
  const least = method === 'eth_createAccessList' ? 1 : 0
  const from = random.chance(0.8) ? richSender : random.pick(addresses)
  return {
    from: toHex(from),
    ...(isCreation ? {} : { to: toHex(random.pick(random.chance(0.95) ? contracts : addresses)) }),
    data: toHex(
      isCreation
        ? initCode({ random, fork: 'osaka', addresses })
        : random.bytes(random.pick([0, 4, 36, 200])),
    ),
    ...(random.chance(0.3) ? { value: toQuantity(random.below(1000)) } : {}),
    ...(random.chance(0.25) ? { gas: toQuantity(20_000 + random.below(300_000)) } : {}),
    // Without a price geth looks for one that is usual, which is not what is compared here.
    ...fees(random, method === 'eth_createAccessList'),
    ...(random.chance(0.2)
      ? {
          accessList: [
            { address: toHex(random.pick(contracts)), storageKeys: [word(0), word(random.below(5))] },
          ],
        }
      : {}),
    ...(random.chance(0.1) && !isCreation
      ? {
          blobVersionedHashes: [`0x01${'11'.repeat(31)}`],
          maxFeePerBlobGas: toQuantity(least + random.below(5)),
        }
      : {}),
  }
}

export const createCalls = (count: number): readonly RandomCall[] => {
  const random = createRandom(seed + 1)
  return Array.from({ length: count }, (_, index): RandomCall => {
    const method = (['eth_call', 'eth_estimateGas', 'eth_createAccessList'] as const)[index % 3] ?? 'eth_call'
    // geth moves no precompiles for access lists.
    const state = stateOverrides(random, method !== 'eth_createAccessList')
    const block = method === 'eth_createAccessList' ? undefined : blockOverrides(random)
    const params = [transaction(random, method), 'latest', state ?? {}, ...(block ? [block] : [])]
    return { method, params }
  })
}
