import type { Account, AccountChange, WorldChanges } from '../../src/chain/state/world.ts'
import type { Random } from '../support/random.ts'

/** The state of one height as plain maps, by hexadecimal names. Never changed once made. */
export interface ModelAccount {
  readonly account: Account
  readonly storage: ReadonlyMap<string, Uint8Array>
}
export type Model = ReadonlyMap<string, ModelAccount>

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
export const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))

/** The model after a block. */
export const applyChanges = (model: Model, { accounts }: WorldChanges): Model => {
  const next = new Map(model)
  for (const { address, account, storageCleared, storage } of accounts) {
    if (!account) {
      next.delete(hex(address))
      continue
    }
    const slots = new Map(storageCleared ? [] : next.get(hex(address))?.storage)
    for (const [slot, value] of storage) {
      if (value.some((byte) => byte !== 0)) slots.set(hex(slot), value)
      else slots.delete(hex(slot))
    }
    next.set(hex(address), { account, storage: slots })
  }
  return next
}

const word = (random: Random): Uint8Array => {
  const value = new Uint8Array(32)
  if (random.below(4) > 0) value.set(random.bytes(1 + random.below(32)).map((byte) => byte | 1))
  return random.below(2) ? value : value.reverse()
}

/** Few enough slots that they meet again, far enough apart to differ. */
const slotOf = (random: Random): Uint8Array => {
  const slot = new Uint8Array(32)
  slot[31] = random.below(40)
  slot[random.below(2) * 7] = random.below(3)
  return slot
}

export interface HistoryOptions {
  readonly accounts: number
  readonly changes: number
}

/** Blocks that create, change, destroy and bring back accounts of a fixed set of addresses. */
export const createBlocks = (
  random: Random,
  hash: (code: Uint8Array) => Uint8Array,
  options: HistoryOptions,
) => {
  const addresses = Array.from({ length: options.accounts }, () => random.bytes(20))
  const noCode = hash(new Uint8Array(0))
  const change = (
    address: Uint8Array,
    before: ModelAccount | undefined,
    code: [Uint8Array, Uint8Array][],
  ): AccountChange => {
    const dice = random.below(20)
    if (dice === 0) return { address, account: undefined, storageCleared: random.below(2) === 0, storage: [] }
    // Sometimes an account is only touched.
    if (dice === 1 && before) return { address, account: before.account, storageCleared: false, storage: [] }
    let codeHash = before?.account.codeHash ?? noCode
    if (dice < 4) {
      const bytes = random.bytes(1 + random.below(200))
      codeHash = hash(bytes)
      code.push([codeHash, bytes])
    }
    const slots = new Map<string, readonly [Uint8Array, Uint8Array]>()
    const count = random.below(3) === 0 ? random.below(12) : 0
    for (let i = 0; i < count; i++) {
      const slot = slotOf(random)
      slots.set(hex(slot), [slot, word(random)])
    }
    // Sometimes every slot is set to zero one by one.
    if (dice === 5)
      for (const slot of before?.storage.keys() ?? []) slots.set(slot, [unhex(slot), new Uint8Array(32)])
    const account = {
      nonce: BigInt(random.below(3) === 0 ? 0 : random.below(2 ** 31)),
      balance:
        [0n, BigInt(random.below(300)), 10n ** 18n + BigInt(random.below(1e9)), 2n ** 255n][
          random.below(4)
        ] ?? 0n,
      codeHash,
    }
    return { address, account, storageCleared: dice === 6, storage: [...slots.values()] }
  }
  return {
    addresses,
    next: (model: Model): WorldChanges => {
      const chosen = new Set<Uint8Array>()
      const count = random.below(10) === 0 ? 0 : 1 + random.below(options.changes)
      for (let i = 0; i < count; i++) chosen.add(addresses[random.below(addresses.length)] as Uint8Array)
      const code: [Uint8Array, Uint8Array][] = []
      const accounts = [...chosen].map((address) => change(address, model.get(hex(address)), code))
      return { accounts, code }
    },
  }
}
