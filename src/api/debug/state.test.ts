import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { StateView } from '../../chain/port/state.ts'

const account = {
  address: new Uint8Array(20).fill(0x11),
  hashedAddress: new Uint8Array(32).fill(0x22),
  nonce: 3n,
  balance: 10n ** 20n,
  codeHash: new Uint8Array(32),
  storageRoot: new Uint8Array(32),
}

const word = (value: number): Uint8Array => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(28, value)
  return bytes
}

const someValue = word(0x100)

/** One account with many slots, and what was requested. */
const chainWith = (slotCount: number, asked: unknown[] = []) => {
  const state: Partial<StateView> = {
    accounts: (start, limit) => {
      asked.push([Buffer.from(start).toString('hex'), limit])
      return { root: new Uint8Array(32).fill(9), accounts: [account], next: undefined }
    },
    code: () => Uint8Array.of(0xfe),
    slots: (_address, start, limit) => {
      const first = new DataView(start.buffer).getUint32(28)
      const count = Math.min(limit, slotCount - first)
      const slots = Array.from({ length: count }, (_, index) => {
        const slot = word(first + index)
        return { hashedSlot: slot, slot, value: someValue }
      })
      return { slots, next: first + count < slotCount ? word(first + count) : undefined }
    },
  }
  return fakeChain({ state: async () => state as StateView })
}

test('an account in geth’s shape', async () => {
  expect(await callApi('debug_dumpBlock', ['latest'], { chain: chainWith(1) })).toEqual({
    root: '09'.repeat(32),
    accounts: {
      '0x1111111111111111111111111111111111111111': {
        balance: '100000000000000000000',
        nonce: 3,
        root: `0x${'00'.repeat(32)}`,
        codeHash: `0x${'00'.repeat(32)}`,
        code: '0xfe',
        storage: { [`0x${'00'.repeat(32)}`]: '0100' },
        address: `0x${'11'.repeat(20)}`,
        key: `0x${'22'.repeat(32)}`,
      },
    },
  })
})

test('storage is read to its end, and no further than a response can hold', async () => {
  const dump = (slots: number) => callApi('debug_dumpBlock', ['latest'], { chain: chainWith(slots) })
  const { accounts } = (await dump(3000)) as { accounts: Record<string, { storage: object }> }
  expect(Object.keys(Object.values(accounts)[0]?.storage ?? {})).toHaveLength(3000)
  expect(await dump(100_001)).toMatchObject({ code: -32005 })
})

test.each([
  [
    ['0x', 0],
    ['00'.repeat(32), 256],
  ],
  [
    ['0xab', 7],
    [`ab${'00'.repeat(31)}`, 7],
  ],
  [
    [Buffer.alloc(32, 0xcd).toString('base64'), 1000],
    ['cd'.repeat(32), 256],
  ],
])('a page from %j', async (params, wanted) => {
  const asked: unknown[] = []
  await callApi('debug_accountRange', ['latest', ...params, true, true], { chain: chainWith(0, asked) })
  expect(asked).toEqual([wanted])
})

test.each([['0xabc'], [`0x${'00'.repeat(33)}`], ['AAAA'], [5], [null]])(
  '%j is not a start',
  async (start) => {
    expect(await callApi('debug_accountRange', ['latest', start, 1], { chain: chainWith(0) })).toMatchObject({
      code: -32602,
    })
  },
)
