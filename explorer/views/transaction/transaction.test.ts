import type { ComponentChildren, VNode } from 'preact'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Transaction } from '../../rpc/types.ts'

/** The text of what a view returned, as far as it needs no browser. Parts with a state show what is in them. */
const textOf = (shown: ComponentChildren): string => {
  if (Array.isArray(shown)) return shown.map(textOf).join('')
  if (typeof shown !== 'object' || shown === null)
    return typeof shown === 'boolean' ? '' : String(shown ?? '')
  const { type, props } = shown as VNode<{ readonly children?: ComponentChildren }>
  if (typeof type !== 'function') return textOf(props.children)
  try {
    return textOf((type as (props: object) => ComponentChildren)(props))
  } catch {
    return textOf(props.children)
  }
}

let TypedLists: typeof import('./typedLists.tsx').TypedLists
let NamedValues: typeof import('../../parts/decoded.tsx').NamedValues
let Reason: typeof import('./failureReason.tsx').Reason

beforeAll(async () => {
  // What views are made of looks at the address when it is loaded.
  vi.stubGlobal('location', { href: 'http://node.example/#/', hash: '#/' })
  ;({ TypedLists } = await import('./typedLists.tsx'))
  ;({ NamedValues } = await import('../../parts/decoded.tsx'))
  ;({ Reason } = await import('./failureReason.tsx'))
})
afterAll(() => void vi.unstubAllGlobals())

const shown = (lists: Partial<Record<keyof Transaction, unknown>>): string =>
  textOf(TypedLists({ transaction: lists as unknown as Transaction }))

test('the chain and the nonce of an authorization, which anybody chooses, are shown to the last digit', () => {
  const address = `0x${'a1'.repeat(20)}`
  const largest = 2n ** 256n - 1n
  const text = shown({
    authorizationList: [
      { address, chainId: `0x${largest.toString(16)}`, nonce: '0xfffffffffffffffe' },
      { address, chainId: '0x0', nonce: '0x7' },
    ],
  })
  expect(text).toContain(`on chain ${largest}, with nonce 18446744073709551614`)
  expect(text).toContain('on any chain, with nonce 7')
})

test('lists that a node gives as null are empty', () => {
  expect(shown({ accessList: null, authorizationList: null, blobVersionedHashes: null })).toBe('')
})

test('the reason of a failure is made harmless, whoever gave it', () => {
  expect(textOf(Reason({ text: undefined }))).toBe('Failed.')
  expect(textOf(Reason({ text: 'out of gas' }))).toBe('Failed: out of gas')
  expect(textOf(Reason({ text: 'see \u202egnp.exe' }))).toBe('Failed: see \\u202egnp.exe')
  expect(textOf(Reason({ text: 'x'.repeat(5000) })).length).toBeLessThan(500)
})

test('names that an ABI gives to values are made harmless, also inside of lists and tuples', () => {
  const hostile = 'a\u202eb'
  const one = { name: hostile, type: 'uint256', value: 7n }
  const tuple = { name: '', type: '(uint256)', value: [one] }
  expect(textOf(NamedValues({ values: [one] }))).toBe('a\\u202eb uint2567')
  expect(textOf(NamedValues({ values: [one, tuple] }))).toBe('a\\u202eb uint25671 (uint256)a\\u202eb 7')
  expect(textOf(NamedValues({ values: [{ ...one, name: 'x'.repeat(5000) }] })).length).toBeLessThan(200)
  expect(textOf(NamedValues({ values: [{ ...one, name: '' }] }))).toBe(' uint2567')
})
