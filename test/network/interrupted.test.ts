import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import { createHomes, HomeProcess, type Homes, headOf, isAlive, reach, until } from './homeProcess.ts'

/** A start after one that was killed at its worst moment. */
describeNetwork('a start after an interrupted one', () => {
  let homes: Homes
  let home: string
  beforeEach(() => {
    homes = createHomes(1, 50)
    home = homes.homes[0] as string // one was asked for
  })
  afterEach(async () => homes.remove())

  const putDatabase = (name: string, files: readonly string[]): string => {
    const folder = join(home, 'engine', 'data', name)
    mkdirSync(folder, { recursive: true })
    for (const file of files) writeFileSync(join(folder, file), '')
    return folder
  }

  it('creates the databases again that CometBFT did not finish', slow, async () => {
    putDatabase('blockstore.db', ['LOCK', 'LOG', 'MANIFEST-000000'])
    putDatabase('tx_index.db', ['LOCK', 'LOG', 'MANIFEST-000000', 'CURRENT.0'])
    const node = await new HomeProcess(home).ready()
    await reach(node, 2)
    await node.stop()
  })

  it('leaves a database alone that has lost its entry', async () => {
    const folder = putDatabase('blockstore.db', ['LOCK', 'MANIFEST-000000', '000007.ldb'])
    await expect(new HomeProcess(home).ready()).rejects.toThrow('missing or corrupted')
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['MANIFEST-000000', '000007.ldb']))
  })

  it('waits for a CometBFT that does not end at once', slow, async () => {
    const first = await new HomeProcess(home).ready()
    await reach(first, 2)
    process.kill(first.enginePid, 'SIGSTOP')
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    expect(isAlive(first.enginePid)).toBe(true)
    const second = await new HomeProcess(home).ready()
    await until('the engine before it is gone', () => !isAlive(first.enginePid))
    expect(await headOf(second)).toBeGreaterThanOrEqual(2)
    await second.stop()
  })
})
