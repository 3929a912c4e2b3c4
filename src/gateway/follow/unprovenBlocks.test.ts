import { expect, test } from 'vitest'
import type { NativeBlock } from '../../comet/data/nativeBlock.ts'
import { TransportError } from '../../comet/data/transportErrors.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import type { LightSource } from '../../light/trustChain.ts'
import { UnprovenBlocks } from './unprovenBlocks.ts'

const source = { node: 'node' } as LightSource // nothing is asked of it here
const blockAt = (height: number) => ({ header: { height } }) as NativeBlock // all that is read here
const block = blockAt(7)

test('a proof that never ends ends the session with its node', async () => {
  const proofs = { prove: () => new Promise<void>(() => undefined), trustedHeight: undefined }
  const added: number[] = []
  const writer = {
    last: undefined,
    add: async ({ number }: { readonly number: number }) => void added.push(number),
  }
  const unproven = new UnprovenBlocks(writer, proofs, source, { proofMs: 10 })
  await expect(unproven.release(block)).rejects.toThrow(TransportError)
  expect(added).toEqual([])
})

/** A write that the header after it confirms. */
const writeAt = (number: number): BlockWrite => {
  const none: readonly Uint8Array[] = []
  const rows = {
    hash: Uint8Array.of(number),
    parentHash: Uint8Array.of(number - 1),
    frame: new Uint8Array(0),
    transactions: none,
    receipts: none,
    raw: none,
  }
  return { number, rows, isConfirmed: true } as BlockWrite // all that is read here
}

/** Adds blocks 5 to 7 and proves the headers of 7 and 8; returns what is written after each proof. */
const written = async (holdNewest: boolean) => {
  const added: string[] = []
  const writer = {
    last: undefined,
    add: async ({ number, isConfirmed }: BlockWrite) =>
      void added.push(`${number} ${isConfirmed === true ? 'confirmed' : 'believed'}`),
  }
  const proofs = { prove: async () => undefined, trustedHeight: undefined }
  const unproven = new UnprovenBlocks(writer, proofs, source, { holdNewest })
  for (const height of [5, 6, 7]) await unproven.add(blockAt(height), writeAt(height))
  await unproven.release()
  const first = added.splice(0)
  await unproven.release(blockAt(8))
  return [first, added]
}

test('what the newest block did is confirmed by no header that is not proven itself', async () => {
  expect(await written(false)).toEqual([['5 confirmed', '6 confirmed', '7 believed'], []])
  expect(await written(true)).toEqual([['5 confirmed', '6 confirmed'], ['7 confirmed']])
})
