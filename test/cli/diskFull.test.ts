import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { firing, scrapeOf } from '../support/prometheus/alerts.ts'
import { slow } from '../support/slow.ts'

const megabyte = 2 ** 20

/** A disk of 96 MB; false where this user cannot make one. */
const mountSmallDisk = (at: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', at]).status === 0

const freeBytes = (at: string): number => {
  const { bavail, bsize } = statfsSync(at)
  return bavail * bsize
}

describe('a disk that is nearly full', slow, () => {
  let disk: string
  let isMounted: boolean
  let program: Program | undefined
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'perihelion-full-'))
    isMounted = mountSmallDisk(disk)
  })
  afterEach(async () => {
    program?.child.kill('SIGKILL')
    await program?.ended()
    if (isMounted) execFileSync('umount', [disk])
    rmSync(disk, { recursive: true, force: true })
  })

  const start = async (minFree: string) => {
    const started = runProgram([
      'start',
      ...isolatedFlags(join(disk, 'home')),
      `--min-free-space=${minFree}`,
      '--log.level=info',
    ])
    program = started
    const { http = '' } = await started.ready()
    const call = async (method: string, ...params: readonly unknown[]) => {
      const response = await fetch(http, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return (await response.json()) as { result?: string; error?: { code: number; message: string } }
    }
    const [from = '', to = ''] = ((await call('eth_accounts')).result ?? []) as readonly string[]
    return {
      call,
      send: () => call('eth_sendTransaction', { from, to, value: '0x1' }),
      page: async (path: string) => {
        const response = await fetch(`${http}${path}`)
        return { status: response.status, text: await response.text() }
      },
      log: () => started.stderr(),
    }
  }

  /** Leaves so much of the disk free. */
  const leave = (bytes: number): void =>
    writeFileSync(join(disk, 'ballast'), new Uint8Array(Math.max(0, freeBytes(disk) - bytes)))

  test('sends are refused at once, reads go on, and writing comes back by itself', async (ctx) => {
    if (!isMounted) return ctx.skip('tmpfs cannot be mounted here (root only)')
    const node = await start('32MiB')
    expect((await node.send()).result).toMatch(/^0x/)
    const before = (await node.call('eth_blockNumber')).result
    leave(16 * megabyte)
    await eventually(async () => (await node.page('/ready')).status === 503)
    expect((await node.page('/ready')).text).toContain('nearly full')
    expect(JSON.parse((await node.page('/health')).text)).toMatchObject({ status: 'degraded' })
    const metrics = (await node.page('/metrics')).text
    expect(metrics).toMatch(/^perihelion_disk_low 1$/m)
    expect(firing([scrapeOf(metrics, 0)])).toEqual(
      expect.arrayContaining(['PerihelionNotReady', 'PerihelionDiskLow']),
    )
    for (let i = 0; i < 3; i++)
      expect((await node.send()).error).toMatchObject({
        code: -32005,
        message: expect.stringMatching(/nearly full: .* \(min-free-space\): make room/),
      })
    expect((await node.call('eth_blockNumber')).result).toBe(before)
    rmSync(join(disk, 'ballast'))
    await eventually(async () => (await node.page('/ready')).status === 200)
    expect((await node.send()).result).toMatch(/^0x/)
    expect((await node.page('/metrics')).text).toMatch(/^perihelion_disk_low 0$/m)
    const log = node.log()
    expect(log.match(/writing is paused/g)).toHaveLength(1)
    expect(log.match(/writing goes on:/g)).toHaveLength(1)
    expect(log).not.toMatch(/^\s+at /m)
  })

  test('with no room at all, and no limit: read-only until there is room', async (ctx) => {
    if (!isMounted) return ctx.skip('tmpfs cannot be mounted here (root only)')
    const node = await start('0')
    const { result: before } = await node.send()
    leave(0)
    expect(freeBytes(disk)).toBe(0)
    // Where the journal still had room, the pool keeps it, and its hash is the answer. Its commit fails, and the chain is opened again.
    const { result: kept } = await node.send().catch((): { result?: string } => ({}))
    await eventually(() => node.log().includes('the chain is open again'))
    for (let i = 0; i < 3; i++)
      expect((await node.send()).error).toMatchObject({
        code: -32005,
        message: expect.stringMatching(/is full .*: make room there, and writing goes on by itself$/),
      })
    expect((await node.call('evm_mine')).error).toMatchObject({ code: -32005 })
    expect((await node.call('eth_getTransactionReceipt', before)).result).toMatchObject({
      blockNumber: '0x1',
    })
    expect((await node.page('/ready')).status).toBe(503)
    expect(JSON.parse((await node.page('/health')).text)).toMatchObject({ status: 'degraded' })
    rmSync(join(disk, 'ballast'))
    await eventually(async () => (await node.page('/ready')).status === 200)
    expect((await node.send()).result).toMatch(/^0x/)
    if (kept !== undefined)
      await eventually(async () => (await node.call('eth_getTransactionReceipt', kept)).result !== null)
    expect(node.log()).not.toContain('for the second time')
  })

  test('what is asked for first, with no room and no limit, is refused in the same words', async (ctx) => {
    if (!isMounted) return ctx.skip('tmpfs cannot be mounted here (root only)')
    const node = await start('0')
    await node.call('evm_setAutomine', false)
    // Their marks need more than what is left of the last page of the journal.
    const answers = await Promise.all(Array.from({ length: 150 }, () => node.send()))
    const sent = answers.map(({ result = '' }) => result)
    leave(0)
    const isGone = new Map<string, boolean>()
    for (const hash of sent) {
      const { result, error } = await node.call('anvil_dropTransaction', hash)
      isGone.set(hash, result === hash)
      if (error !== undefined) expect(error).toMatchObject({ code: -32005 })
    }
    expect(new Set(isGone.values())).toEqual(new Set([true, false]))
    expect((await node.call('anvil_dropAllTransactions')).error).toMatchObject({ code: -32005 })
    expect((await node.call('evm_mine')).error).toMatchObject({
      code: -32005,
      message: expect.stringMatching(/is full .*: make room there, and writing goes on by itself$/),
    })
    await eventually(() => node.log().includes('the chain is open again'))
    program?.child.kill('SIGKILL')
    await program?.ended()
    rmSync(join(disk, 'ballast'))
    const next = await start('0')
    for (const hash of sent)
      expect((await next.call('eth_getTransactionByHash', hash)).result === null).toBe(isGone.get(hash))
  })

  test('control: without the limit the same disk takes the transaction', async (ctx) => {
    if (!isMounted) return ctx.skip('tmpfs cannot be mounted here (root only)')
    const node = await start('0')
    leave(16 * megabyte)
    expect((await node.send()).result).toMatch(/^0x/)
    expect((await node.page('/ready')).status).toBe(200)
  })
})
