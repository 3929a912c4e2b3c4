import { afterEach, expect, test } from 'vitest'
import { SyntheticChain } from '../replay/synthetic.ts'
import { inspect, Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const createChain = (): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length: 30, content: 'empty' })

test('a node that tells its height and gives no blocks is left in the middle of a call', async () => {
  const chain = createChain()
  const slow = await opened.serve({ chain, faults: { hangs: ['block_results'] } })
  const other = await opened.serve({ chain: createChain() })
  const path = opened.folder()
  // The call itself has more time than this test.
  const options = { path, callTimeoutMs: 600_000, leadPatienceMs: 200 }
  const following = await opened.follow(chain, [slow, other], options)
  await following.until(30, 60_000)
  await following.close()
  expect(following.quarantined).toEqual([])
  expect(following.logs.join('\n')).toContain('it gives no block after 0, or few, while another one is at 30')
  expect(await inspect(path)).toEqual({ faults: [], first: 1, head: 30 })
})
