import { expect, test } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { AccountChange, EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import { RunningState } from './runningState.ts'
import { VersionedChanges } from './versionedState.ts'

const addresses = [1, 2, 3].map((fill) => new Uint8Array(20).fill(fill))
const slots = [1, 2, 3].map((fill) => new Uint8Array(32).fill(fill))
const codeHash = new Uint8Array(32).fill(7)

const base: EvmStateReader = {
  account: (address) =>
    address[0] === 3 ? undefined : { nonce: 1n, balance: BigInt(address[0] as number), codeHash },
  storage: (address, slot) => new Uint8Array(32).fill((address[0] as number) * 10 + (slot[0] as number)),
  code: () => Uint8Array.of(1),
  hasStorage: (address) => address[0] !== 3,
}

test('the state after any changes, and before each of them, is that of overlays on top of each other', () => {
  const random = createRandom(22)
  for (let run = 0; run < 100; run++) {
    const running = new RunningState(base)
    const versioned = new VersionedChanges()
    const after: EvmStateReader[] = [base]
    let stacked = base
    for (let step = 0; step < 6; step++) {
      const accounts = addresses
        .filter(() => random.below(2) === 0)
        .map((address): AccountChange => {
          const isGone = random.below(4) === 0
          return {
            address,
            account: isGone ? undefined : { nonce: BigInt(step), balance: BigInt(random.below(9)), codeHash },
            storageCleared: isGone || random.below(4) === 0,
            storage: isGone
              ? []
              : slots
                  .filter(() => random.below(2) === 0)
                  .map((slot) => [slot, new Uint8Array(32).fill(random.below(3))] as const),
          }
        })
      const changes: StateChanges = { accounts, code: [[codeHash, Uint8Array.of(step)]] }
      running.add(changes)
      versioned.add(changes)
      stacked = createOverlay(stacked, changes)
      after.push(stacked)
      for (const address of addresses) {
        expect(running.account(address)).toEqual(stacked.account(address))
        // An overlay does not look at slots of the one below that it clears.
        if (running.hasStorage(address)) expect(stacked.hasStorage(address)).toBe(true)
        for (const slot of slots)
          expect(toHex(running.storage(address, slot))).toBe(toHex(stacked.storage(address, slot)))
      }
      expect(running.code(codeHash)).toEqual(stacked.code(codeHash))
    }
    for (const [count, expected] of after.entries()) {
      const state = versioned.after(count, base)
      for (const address of addresses) {
        expect(state.account(address)).toEqual(expected.account(address))
        for (const slot of slots)
          expect(toHex(state.storage(address, slot))).toBe(toHex(expected.storage(address, slot)))
      }
    }
  }
})
