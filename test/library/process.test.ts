import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const library = new URL('../../dist/index.js', import.meta.url).href
const rounds = Number(process.env.LIBRARY_NODES ?? 3)

/** Runs a module in a process of its own, which has to end by itself. */
const runModule = (source: string) =>
  spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', source], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH ?? '' },
    encoding: 'utf8',
  })

test('the process is left as it was: nothing is printed, no handler is set, and it ends by itself', () => {
  const { status, stdout, stderr } = runModule(`
    import { createNode } from '${library}'
    const events = ['SIGTERM', 'SIGINT', 'exit', 'uncaughtException', 'unhandledRejection']
    const counts = () => events.map((name) => process.listenerCount(name)).join()
    const before = counts()
    const node = await createNode()
    await node.provider.request({ method: 'eth_blockNumber' })
    const during = counts()
    await node.close()
    if (during !== before || counts() !== before) throw new Error(before + ' ' + during + ' ' + counts())
  `)
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})

test(`${rounds} nodes one after another leave no handle and no growing memory`, () => {
  const { status, stdout, stderr } = runModule(`
    import { createNode } from '${library}'
    const used = async () => {
      for (let round = 0; round < 3; round++) { gc(); await new Promise((resolve) => setTimeout(resolve, 50)) }
      return process.memoryUsage().rss
    }
    const handles = () => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').sort().join()
    const before = handles()
    const sizes = []
    for (let round = 0; round < ${rounds}; round++) {
      const node = await createNode()
      const [from] = await node.provider.request({ method: 'eth_accounts' })
      await node.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x1' }] })
      await node.close()
      sizes.push(await used())
    }
    console.log(JSON.stringify({ before, after: handles(), sizes }))
  `)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { before, after, sizes } = JSON.parse(stdout) as {
    readonly before: string
    readonly after: string
    readonly sizes: readonly number[]
  }
  expect(after).toBe(before)
  const megabytes = sizes.map((size) => Math.round(size / 1e6))
  console.log(`resident megabytes after each: ${megabytes.join(' ')}`)
  // The second half needs no more than the first did, but for what the allocator keeps.
  const half = Math.ceil(megabytes.length / 2)
  expect(Math.max(...megabytes.slice(half))).toBeLessThan(Math.max(...megabytes.slice(0, half)) + 60)
})
