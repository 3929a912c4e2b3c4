import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { slow } from '../support/slow.ts'

/** The thread that writes blocks may end by itself: for want of memory, or by a mistake of ours. */

/** Loaded before the program: SIGUSR2 ends that thread. */
const preload = `
  const threads = require('node:worker_threads')
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options)
      if (options.name === 'app') process.once('SIGUSR2', () => this.terminate())
    }
  }
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-thread-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the chain is opened again and goes on; the second time is the end, in one line', slow, async () => {
  const file = join(folder, 'preload.cjs')
  writeFileSync(file, preload)
  const flags = [...isolatedFlags(join(folder, 'home')), '--log.level=info']
  const program = runProgram(['start', ...flags], { NODE_OPTIONS: `--require ${file}` })
  try {
    const { http = '' } = await program.ready()
    const { call } = createRpcClient(http)
    const [from, to] = await call<readonly string[]>('eth_accounts')
    const send = (): Promise<string> => call<string>('eth_sendTransaction', { from, to, value: '0x1' })
    const hashes: string[] = []
    for (let i = 0; i < 3; i++) hashes.push(await send())
    program.child.kill('SIGUSR2')
    await eventually(() => program.stderr().includes('the chain is open again'))
    expect(program.stderr()).toContain('the thread that writes blocks ended')
    hashes.push(await send())
    for (const hash of hashes)
      expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ transactionHash: hash })
    program.child.kill('SIGUSR2')
    expect(await program.ended()).toBe(74)
    expect(program.stderr()).toContain('for the second time')
  } finally {
    program.child.kill('SIGKILL')
    await program.ended()
  }
})
