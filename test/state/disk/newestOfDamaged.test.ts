import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readNewest } from '../../../src/app/dataSummary.ts'
import { createNode } from '../../../src/index.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'

/** What `perihelion doctor` reads of a data file, one of whose pages was lost. */

const pageBytes = 4096
let home: string
beforeEach(() => {
  home = temporaryHome()
})
afterEach(() => rmSync(home, { recursive: true }))

test('is told as damage or not seen, whichever page it is, without a code of LMDB', slow, async () => {
  const node = await createNode({ home, listen: false })
  await node.provider.request({ method: 'hardhat_mine', params: ['0x12'] })
  await node.close()
  const path = join(home, 'data', 'chain.mdb')
  const whole = readFileSync(path)
  let damaged = 0
  for (let at = 0; at < whole.length; at += pageBytes) {
    const bytes = Buffer.from(whole)
    bytes.fill(0, at, at + pageBytes)
    writeFileSync(path, bytes)
    const { problems } = await readNewest(path)
    if (problems.length > 0) damaged++
    expect(problems.join('\n')).not.toMatch(/MDB_/)
  }
  expect(damaged).toBeGreaterThan(10)
  writeFileSync(path, whole)
  expect(await readNewest(path)).toMatchObject({ head: 18, problems: [] })
})
