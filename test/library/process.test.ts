import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { slow } from '../support/slow.ts'

const library = new URL('../../dist/library/index.js', import.meta.url).href
const rounds = Number(process.env.LIBRARY_NODES ?? 3)

/** Runs a module in a process of its own, which has to end by itself. */
const runModule = (source: string, env: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', source], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  })

test(
  'the process is left as it was: nothing is printed, no handler is left, and it ends by itself',
  slow,
  () => {
    const { status, stdout, stderr } = runModule(`
    import { createNode } from '${library}'
    const events = ['SIGTERM', 'SIGINT', 'exit', 'uncaughtException', 'unhandledRejection']
    const counts = (homes = 0) =>
      events.map((name) => process.listenerCount(name) - (name === 'exit' ? homes : 0)).join()
    const before = counts()
    const node = await createNode()
    await node.provider.request({ method: 'eth_blockNumber' })
    // One for the temporary home, whatever ends the process.
    const during = counts(1)
    await node.close()
    if (during !== before || counts() !== before) throw new Error(before + ' ' + during + ' ' + counts())
  `)
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  },
)

test('a process that exits without close leaves no temporary home', slow, () => {
  const temporary = mkdtempSync(join(tmpdir(), 'perihelion-exit-'))
  const run = (end: string) =>
    runModule(
      `
      import { readdirSync } from 'node:fs'
      import { tmpdir } from 'node:os'
      import { createNode } from '${library}'
      await createNode({ listen: false })
      // With a home of the caller, which stays.
      await createNode({ listen: false, home: tmpdir() + '/kept' })
      process.stdout.write(String(readdirSync(tmpdir()).length))
      ${end}
    `,
      { TMPDIR: temporary },
    )
  try {
    expect(run('process.exit(3)')).toMatchObject({ status: 3, stderr: '', stdout: '2' })
    expect(readdirSync(temporary)).toEqual(['kept'])
    expect(run("throw new Error('a failed test')")).toMatchObject({ status: 1 })
    expect(readdirSync(temporary)).toEqual(['kept'])
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
})

test('a chain without a home makes its blocks on the thread of its caller', slow, () => {
  const { status, stdout, stderr } = runModule(`
    import { createNode } from '${library}'
    const node = await createNode({ listen: false })
    const [from] = await node.provider.request({ method: 'eth_accounts' })
    await node.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x1' }] })
    const workers = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    await node.close()
    process.stdout.write(String(workers))
  `)
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '0', stderr: '' })
})

test(`${rounds} nodes one after another leave no handle and no growing memory`, slow, () => {
  const { status, stdout, stderr } = runModule(`
    import { createNode } from '${library}'
    const used = async () => {
      for (let round = 0; round < 3; round++) { gc(); await new Promise((resolve) => setTimeout(resolve, 50)) }
      const { heapUsed, external, rss } = process.memoryUsage()
      return { held: heapUsed + external, rss }
    }
    const handles = () => process.getActiveResourcesInfo().filter((name) => !['Timeout', 'Immediate'].includes(name)).sort().join()
    // The streams of the process are opened by the first look at them, whoever looks.
    const streams = [process.stdout, process.stderr, process.stdin]
    // So are the files that Node loaded this from closed by then.
    await used()
    const before = handles()
    const sizes = []
    for (let round = 0; round < ${rounds}; round++) {
      const node = await createNode()
      const [from] = await node.provider.request({ method: 'eth_accounts' })
      await node.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x1' }] })
      await node.close()
      sizes.push(await used())
    }
    streams[0].write(JSON.stringify({ before, after: handles(), sizes }))
  `)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { before, after, sizes } = JSON.parse(stdout) as {
    readonly before: string
    readonly after: string
    readonly sizes: readonly { readonly held: number; readonly rss: number }[]
  }
  expect(after).toBe(before)
  const megabytes = sizes.map(({ held, rss }) => `${(held / 1e6).toFixed(1)} (${(rss / 1e6).toFixed(0)})`)
  console.log(`megabytes held (resident) after each: ${megabytes.join(', ')}`)
  // The first fills caches of the process. A node that something holds on to weighs more than six megabytes.
  const [, second = { held: 0 }] = sizes
  const growth = ((sizes.at(-1)?.held ?? 0) - second.held) / (sizes.length - 2)
  expect(growth).toBeLessThan(1_000_000)
})

test('a node runs within a worker thread, as in a test runner', slow, () => {
  const { status, stdout, stderr } = runModule(`
    import { Worker } from 'node:worker_threads'
    const source = \`
      import { createNode } from '${library}'
      const node = await createNode({ listen: false })
      console.log(await node.provider.request({ method: 'eth_blockNumber' }))
      await node.close()
    \`
    const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(source)), { execArgv: [] })
    worker.on('error', (error) => { throw error })
  `)
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '0x0\n', stderr: '' })
})
