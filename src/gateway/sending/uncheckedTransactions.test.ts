import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { testHead } from '../../../test/support/pool.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import { unavailable } from '../../chain/chainError.ts'
import { type Rejection, reject } from '../../pool/admission/rejections.ts'
import { Journal } from '../../pool/journal.ts'
import type { AddResult } from '../../pool/types.ts'
import { decodeSigned, UncheckedTransactions } from './uncheckedTransactions.ts'
import { UnrestoredTransactions } from './unrestoredTransactions.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const log = createLogger('silent')

let folder: string
let open: UncheckedTransactions[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unchecked-'))
})
afterEach(() => {
  for (const one of open) one.close()
  open = []
  rmSync(folder, { recursive: true })
})

const sign = async (nonce: number, signer = account, data: `0x${string}` = '0x'): Promise<Uint8Array> =>
  fromHex(
    await signer.signTransaction({
      chainId: 31_337,
      to: signer.address,
      gas: 21_000n,
      maxFeePerGas: 10n,
      nonce,
      data,
    }),
  )

const taken = {} as AddResult // nothing is read of it
const refuse = (rejection: Rejection): AddResult => ({ rejection }) as unknown as AddResult

const start = (
  submit: (raw: Uint8Array) => Promise<AddResult>,
  options: Partial<ConstructorParameters<typeof UncheckedTransactions>[0]> = {},
  journal = new Journal(join(folder, 'unchecked')),
  payloads: ReadonlyMap<string, Uint8Array> = new Map(),
): UncheckedTransactions => {
  const unchecked = new UncheckedTransactions(
    { retryMs: 5, lifetimeMs: 60_000, ...options },
    {
      submit,
      unrestored: new UnrestoredTransactions(payloads, (raw) => decodeSigned(raw, testHead.fork)),
      head: () => testHead,
      log,
      journal,
    },
  )
  open.push(unchecked)
  return unchecked
}

test('what is rejected for now is sent again, and what is known already is sent', async () => {
  const answers = [
    refuse(reject('busy', 9, 'signatures')),
    refuse(reject('poolFull')),
    refuse(reject('underpriced')),
    new Error('the disk is full'),
    refuse(reject('alreadyKnown')),
  ]
  let count = 0
  const unchecked = start(async () => {
    const answer = answers[count++] ?? taken
    if (answer instanceof Error) throw answer
    return answer
  })
  const hash = unchecked.keep(await sign(0)) as Uint8Array
  await eventually(() => unchecked.get(hash) === undefined)
  expect(count).toBe(5)
  expect(unchecked.refusals()).toEqual([])
})

test('what is rejected for now for too long is given up with the reason', async () => {
  const unchecked = start(async () => refuse(reject('poolFull')), { lifetimeMs: 20 })
  const hash = unchecked.keep(await sign(0)) as Uint8Array
  await eventually(() => unchecked.get(hash) === undefined)
  expect(unchecked.refusals()).toMatchObject([{ isGivenUp: true, reason: 'txpool is full' }])
})

test('an error of the disk does not stop the rest', async () => {
  const journal = new Journal(join(folder, 'unchecked'))
  let isFull = false
  const write = journal.append.bind(journal)
  const rewrite = journal.rewrite.bind(journal)
  const failIfFull = (): void => {
    if (isFull) throw new Error('ENOSPC')
  }
  journal.append = (...args) => {
    failIfFull()
    write(...args)
  }
  journal.rewrite = async (...args) => {
    failIfFull()
    await rewrite(...args)
  }
  let isAway = true
  const sent: Uint8Array[] = []
  const unchecked = start(
    async (raw) => {
      if (isAway) throw unavailable('nobody answers')
      sent.push(raw)
      return taken
    },
    {},
    journal,
  )
  const raws = [await sign(0), await sign(1), await sign(2)] as const
  unchecked.keep(raws[0])
  unchecked.keep(raws[1])
  isFull = true
  // The client gets an error: so it is not sent later.
  expect(() => unchecked.keep(raws[2])).toThrow('ENOSPC')
  isAway = false
  await eventually(() => sent.length === 2)
  isFull = false
  await eventually(() => unchecked.refusals().length === 0)
  const last = await sign(3)
  unchecked.keep(last)
  await eventually(() => sent.length === 3)
  expect(sent).toEqual([raws[0], raws[1], last])
})

test('what is not restored yet is shown in the order of the journal, of equal nonces the newest', async () => {
  const raws = [await sign(0), await sign(1), await sign(0, account, '0x01')] as const
  const payloads = new Map(raws.map((raw) => [toHex(keccak256(raw)), raw]))
  const unchecked = start(async () => taken, {}, undefined, payloads)
  const sender = account.address.toLowerCase()
  const nothing = { pending: new Map(), queued: new Map() }
  const shown = () =>
    unchecked
      .addTo(nothing)
      .queued.get(sender)
      ?.map(({ raw }) => raw)
  expect(shown()).toEqual([raws[2], raws[1]])
  const ofSender = unchecked.addToQueued(fromHex(sender), { pending: [], queued: [] })
  expect(ofSender.map(({ raw }) => raw)).toEqual([raws[2], raws[1]])
  for (const id of [...payloads.keys()]) payloads.delete(id)
  expect(shown()).toBeUndefined()
  expect(unchecked.size).toBe(0)
})

test('there is room for so many of a sender, and for so many bytes', async () => {
  const away = async (): Promise<AddResult> => {
    throw unavailable('nobody answers')
  }
  const bySender = start(away, { maxOfSender: 2 })
  expect(bySender.keep(await sign(0))).toBeDefined()
  expect(bySender.keep(await sign(1))).toBeDefined()
  expect(bySender.keep(await sign(2))).toBeUndefined()
  // What is kept already is no more of them.
  expect(bySender.keep(await sign(1))).toBeDefined()
  const other = privateKeyToAccount(`0x${'12'.repeat(32)}`)
  expect(bySender.keep(await sign(0, other))).toBeDefined()
  const large = await sign(5, other, `0x${'00'.repeat(5_000)}`)
  const byBytes = start(away, { maxBytes: 6_000 }, new Journal(join(folder, 'bytes')))
  expect(byBytes.keep(large)).toBeDefined()
  expect(byBytes.keep(await sign(6, other, `0x${'01'.repeat(5_000)}`))).toBeUndefined()
})
