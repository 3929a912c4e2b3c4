import { writeFileSync } from 'node:fs'
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

  it('the chain and its engine are opened again, and go on where they were', {
    timeout: 240_000,
  }, async (ctx) => {
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
