import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import { createLogger } from '../../base/logging/log.ts'
import { Fleet } from './fleet.ts'

describe.skipIf(!hasPostgres)(`a member of a fleet${postgresNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-fleet-'))
  const fleets: Fleet[] = []
  let server: PostgresServer
  let files = 0

  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterEach(async () => {
    for (const fleet of fleets.splice(0)) {
      await fleet.stop()
      await fleet.close()
    }
  })
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true })
  })

  const start = async (memberFile: string) => {
    const lines: string[] = []
    const log = createLogger('warn', { write: (line) => void lines.push(line) })
    const fleet = await Fleet.join(
      { url: server.url(), chain: 'test_1-1', filterTimeoutMs: 60_000, memberFile },
      { height: () => 7, trouble: () => undefined, log },
    )
    fleets.push(fleet)
    await fleet.start()
    return { ids: fleet.stats().members.map(({ id }) => id), lines }
  }

  test('replaces the one that was killed and left its file', async () => {
    const file = join(folder, `${files++}`)
    const killed = await start(file)
    expect(killed.ids).toEqual([readFileSync(file, 'utf8')])
    const { ids, lines } = await start(file)
    expect(ids).toEqual([readFileSync(file, 'utf8')])
    expect(ids).not.toEqual(killed.ids)
    expect(lines).toEqual([])
  })

  test('is a member where its file holds no name of a member', async () => {
    const file = join(folder, `${files++}`)
    writeFileSync(file, '\0'.repeat(12))
    const { ids, lines } = await start(file)
    expect(ids).toEqual([readFileSync(file, 'utf8')])
    expect(lines).toEqual([])
  })

  test.each<[string, (path: string) => string]>([
    ['is in a folder that is missing', (path) => join(path, 'fleet-member')],
    [
      'is in what is not a folder',
      (path) => {
        writeFileSync(path, '')
        return join(path, 'fleet-member')
      },
    ],
    [
      'is a symbolic link',
      (path) => {
        writeFileSync(`${path}-target`, 'foreign')
        symlinkSync(`${path}-target`, path)
        return path
      },
    ],
    [
      'is a folder',
      (path) => {
        mkdirSync(path)
        return path
      },
    ],
  ])('is a member also where its file %s, and warns once', async (_, prepare) => {
    const file = prepare(join(folder, `${files++}`))
    const { ids, lines } = await start(file)
    expect(ids).toHaveLength(1)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', file, msg: expect.stringContaining('writable file and restart') },
    ])
  })
})
