import { expect, test } from 'vitest'
import { TransportError } from '../client/deadline.ts'
import type { LightSource } from '../light/trustChain.ts'
import type { NativeBlock } from '../parse/native.ts'
import { UnprovenBlocks } from './unprovenBlocks.ts'

const source = { node: 'node' } as LightSource // nothing is asked of it here
const block = { header: { height: 7 } } as NativeBlock // all that is read here

test('a proof that never ends ends the session with its node', async () => {
  const proofs = { prove: () => new Promise<void>(() => undefined), trustedHeight: undefined }
  const added: number[] = []
  const writer = {
    last: undefined,
    add: async ({ number }: { readonly number: number }) => void added.push(number),
  }
  const unproven = new UnprovenBlocks(writer, proofs, source, 10)
  await expect(unproven.release(block)).rejects.toThrow(TransportError)
  expect(added).toEqual([])
})
