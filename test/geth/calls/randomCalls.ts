import { toHex, toQuantity } from '../../../src/base/encoding/hex.ts'
import { initCode, runtimeCode } from '../../fuzz/programs.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { addresses, contracts, richSender, unusedAddress } from './chain.ts'

/**
 * Random calls to the contracts of the chain that `chain.ts` makes: what a call, an estimate and an access list answer
 * there is known from geth. `exported/` keeps the chain and the calls with their answers, so that what is made here may
 * change.
 */

export interface RandomCall {
  readonly method: 'eth_call' | 'eth_estimateGas' | 'eth_createAccessList'
  readonly params: readonly unknown[]
}

const seed = 20_261_116
/** The block from which on all contracts are there. */
const firstHeight = 13
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
    overrides[`0x${'00'.repeat(19)}04`] = { movePrecompileToAddress: toHex(unusedAddress) }
  return overrides
}

const blockOverrides = (random: Random): object | undefined => {
  if (random.chance(0.6)) return undefined
  return {
    ...(random.chance(0.5) ? { number: toQuantity(random.below(1000)) } : {}),
    ...(random.chance(0.5) ? { time: toQuantity(0x96a49600 + random.below(1000)) } : {}),
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

/** `head` is the height of the chain. */
export const createCalls = (count: number, head: number): readonly RandomCall[] => {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, index): RandomCall => {
    const method = (['eth_call', 'eth_estimateGas', 'eth_createAccessList'] as const)[index % 3] ?? 'eth_call'
    // geth moves no precompiles for access lists.
    const state = stateOverrides(random, method !== 'eth_createAccessList')
    const block = method === 'eth_createAccessList' ? undefined : blockOverrides(random)
    const at = random.chance(0.7) ? 'latest' : toQuantity(firstHeight + random.below(head - firstHeight))
    const params = [transaction(random, method), at, state ?? {}, ...(block ? [block] : [])]
    return { method, params }
  })
}
