import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildShim } from '../state/disk/shim.ts'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import {
  callHome,
  createHomes,
  HomeProcess,
  type Homes,
  headOf,
  reach,
  toNumber,
  until,
} from './homeProcess.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

/** A commit that fails under CometBFT: the block was decided, so that it has to be there when the chain is open again. */
describeNetwork('a commit that fails under CometBFT', slow, () => {
  let homes: Homes
  beforeAll(() => {
    homes = createHomes(1, 30)
  })
  afterAll(async () => homes?.remove())

  it('the chain and its engine are opened again, and go on where they were', async (ctx) => {
    const shim = buildShim(homes.folder)
    if ('reason' in shim) return ctx.skip(shim.reason)
    const trigger = join(homes.folder, 'trigger')
    const env = { LD_PRELOAD: shim.path, SHIM_FILE: 'chain.mdb', SHIM_TRIGGER: trigger }
    const node = await new HomeProcess(homes.homes[0] as string, { env }).ready() // one was asked for
    const transfers = new TransferLoad()
    const sent = await transfers.send(node)
    await receiptOf(node, sent)
    const height = await headOf(node)
    const blockAt = (number: number) =>
      callHome<{ hash: string; parentHash: string }>(node, 'eth_getBlockByNumber', toNumber(number), false)
    const { hash } = await blockAt(height)
    writeFileSync(trigger, '')
    await until('it is open again', () => node.errors.includes('the chain is open again'))
    await until('it answers', () =>
      headOf(node).then(
        () => true,
        () => false,
      ),
    )
    await reach(node, height + 5)
    expect((await blockAt(height)).hash).toBe(hash)
    for (let number = height + 1; number <= height + 5; number++)
      expect((await blockAt(number)).parentHash).toBe((await blockAt(number - 1)).hash)
    await receiptOf(node, await transfers.send(node))
    expect((await node.stop()).code).toBe(0)
  })
})

/** A disk with no room: a decided block can be neither written nor refused. */
describeNetwork('a full disk under CometBFT', slow, () => {
  let homes: Homes
  let data: string | undefined
  beforeAll(() => {
    homes = createHomes(1, 30)
  })
  afterAll(async () => {
    // A node that still runs keeps what it has open.
    if (data !== undefined) execFileSync('umount', ['--lazy', data])
    await homes?.remove()
  })

  it('ends the node with 74 and the reason; with room it goes on where it was', async (ctx) => {
    const home = homes.homes[0] as string // one was asked for
    const folder = join(home, 'data')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]).status !== 0)
      return ctx.skip('tmpfs cannot be mounted here (root only)')
    data = folder
    const args = ['--min-free-space=0']
    const node = await new HomeProcess(home, { args }).ready()
    const transfers = new TransferLoad()
    await receiptOf(node, await transfers.send(node))
    const height = await headOf(node)
    const blockAt = (of: HomeProcess) =>
      callHome<{ hash: string }>(of, 'eth_getBlockByNumber', toNumber(height), false)
    const { hash } = await blockAt(node)
    // The node writes too, so that the last of it may not fit.
    expect(() => writeFileSync(join(folder, 'ballast'), new Uint8Array(64 * 2 ** 20))).toThrow('ENOSPC')
    expect((await node.ended).code).toBe(74)
    expect(node.errors).toMatch(
      /this node stops here: (?:commit failed: .*: make room|the disk is nearly full)/,
    )
    rmSync(join(folder, 'ballast'))
    const again = await new HomeProcess(home, { args }).ready()
    await reach(again, height + 3)
    expect((await blockAt(again)).hash).toBe(hash)
    expect((await again.stop()).code).toBe(0)
  })
})
