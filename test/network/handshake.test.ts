import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import { callHome, createHomes, HomeProcess, type Homes, headOf, reach, toNumber } from './homeProcess.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

/** The application behind CometBFT and ahead of it, in every position that its replay rules name. */

const mainFile = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
/** How far behind: to be replayed, all of them. */
const manyBlocks = Number(process.env.HANDSHAKE_BLOCKS ?? 60)

const rollback = (home: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [mainFile, 'rollback', '--home', home, ...args], { encoding: 'utf8' })

describeNetwork('the handshake with CometBFT', slow, () => {
  let homes: Homes
  let home: string
  const hashes = new Map<number, string>()
  const transfers = new TransferLoad()

  const start = (): Promise<HomeProcess> => new HomeProcess(home).ready()

  /** Every block that was ever seen is still what it was. */
  const expectKept = async (node: HomeProcess): Promise<void> => {
    const height = await headOf(node)
    const seen = Math.max(0, ...hashes.keys())
    expect(height).toBeGreaterThanOrEqual(seen)
    for (let number = 0; number <= height; number++) {
      const { hash } = await callHome<{ hash: string }>(node, 'eth_getBlockByNumber', toNumber(number), false)
      expect(hashes.get(number) ?? hash, `block ${number}`).toBe(hash)
      hashes.set(number, hash)
    }
  }

  const copyOf = (part: string, name: string): string => {
    const copy = join(homes.folder, name)
    cpSync(join(home, part), copy, { recursive: true })
    return copy
  }

  const putBack = (copy: string, part: string): void => {
    rmSync(join(home, part), { recursive: true, force: true })
    cpSync(copy, join(home, part), { recursive: true })
  }

  beforeAll(async () => {
    homes = createHomes(1, 20)
    home = homes.homes[0] as string // one was asked for
    const node = await start()
    await receiptOf(node, await transfers.send(node))
    await reach(node, 5)
    await node.stop()
  })
  afterAll(async () => homes?.remove())

  it('app one behind: the block is replayed', async () => {
    const node = await start()
    await expectKept(node)
    await node.stop()
    const before = Math.max(...hashes.keys())
    const { status, stdout } = rollback(home)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^rolled back blocks=1 head=\d+ hash=0x[0-9a-f]{64}\n$/)
    expect(Number(/head=(\d+)/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(before - 1)
    const again = await start()
    await expectKept(again)
    await again.stop()
  })

  it(`app ${manyBlocks} and more behind, from an older copy: all of them are replayed`, async () => {
    const copy = copyOf('data', 'older-app')
    const node = await start()
    const from = await headOf(node)
    const hash = await transfers.send(node)
    await receiptOf(node, hash)
    await reach(node, from + manyBlocks, 300_000)
    await expectKept(node)
    await node.stop()
    putBack(copy, 'data')
    const again = await start()
    await expectKept(again)
    expect(await callHome(again, 'eth_getTransactionReceipt', hash)).not.toBeNull()
    await again.stop()
  })

  it('app at its first block: the chain is executed from there', async () => {
    rmSync(join(home, 'data'), { recursive: true })
    const node = await start()
    await expectKept(node)
    await node.stop()
  })

  it('app ahead: refused in one line with the way back, which works', async () => {
    const copy = copyOf('engine/data', 'older-engine')
    const node = await start()
    await reach(node, (await headOf(node)) + 5)
    await node.stop()
    putBack(copy, 'engine/data')
    const refused = new HomeProcess(home)
    const { code } = await refused.gone()
    expect(code).toBe(74)
    const [line, own, engine] =
      /^perihelion: this home is at block (\d+) and CometBFT at (\d+): .*$/m.exec(refused.errors) ?? []
    expect(line).toContain(`perihelion rollback --to ${engine}`)
    expect(Number(own)).toBeGreaterThan(Number(engine))
    expect(rollback(home, '--to', `${engine}`).status).toBe(0)
    // One validator alone decides anew what CometBFT has lost; what it has is as it was.
    for (const height of [...hashes.keys()]) if (height > Number(engine)) hashes.delete(height)
    const again = await start()
    await reach(again, Number(engine) + 2)
    await expectKept(again)
    await again.stop()
  })

  it('a rollback is refused while a node runs, below what is kept, and where there is nothing', async () => {
    const node = await start()
    expect(rollback(home)).toMatchObject({ status: 75 })
    await node.stop()
    expect(rollback(home, '--to', '99999999').status).toBe(64)
    expect(rollback(home, '--to', 'x').status).toBe(64)
    expect(rollback(join(homes.folder, 'nowhere')).status).toBe(74)
    expect(execFileSync(process.execPath, [mainFile, 'rollback', '--help'], { encoding: 'utf8' })).toContain(
      'app block height is higher than core',
    )
  })
})
