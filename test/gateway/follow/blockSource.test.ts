import { afterEach, expect, test } from 'vitest'
import { BlockSource } from '../../../src/gateway/follow/blockSource.ts'
import { UpstreamError } from '../../../src/gateway/parse/upstreamError.ts'
import type { Replay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const chainOf = (length: number): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty' })

const sourceOf = ({ url }: Replay): BlockSource => {
  const source = new BlockSource({ name: 'node', url }, 10_000, undefined, false)
  opened.add(source)
  return source
}

test('a node that gives ten thousand validators one by one is not asked ten thousand times', async () => {
  const replay = await opened.serve({ chain: chainOf(3) })
  const source = sourceOf(replay)
  expect(await source.validators(2)).toHaveLength(3)
  await replay.setFaults({
    alter: (method, result) => {
      if (method !== 'validators') return result
      const { validators } = result as { readonly validators: readonly unknown[] }
      return { validators: validators.slice(0, 1), count: '1', total: '10000' }
    },
  })
  await expect(source.validators(2)).rejects.toThrow(UpstreamError)
  expect(replay.asked.get('validators')).toBe(2)
})
