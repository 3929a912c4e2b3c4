import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../../base/logging/log.ts'
import { InterruptedStart } from './interrupted.ts'

const unfinished =
  'ERROR: failed to create node: failed to initialize database: database entry point either missing or corrupted'

describe('a CometBFT that was ended while it started', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-interrupted-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const putDatabase = (name: string, files: readonly string[]): void => {
    mkdirSync(join(folder, 'data', name), { recursive: true })
    for (const file of files) writeFileSync(join(folder, 'data', name, file), '')
  }
  const filesOf = (name: string): readonly string[] => readdirSync(join(folder, 'data', name)).sort()
  const canStartAgain = (error: string): boolean =>
    new InterruptedStart(folder, createLogger('silent')).canStartAgain(error)

  it('creates databases again that were never finished, and touches no other', () => {
    putDatabase('tx_index.db', ['LOCK', 'LOG', 'MANIFEST-000000', 'CURRENT.0'])
    putDatabase('state.db', ['LOCK', 'LOG', 'MANIFEST-000000', 'CURRENT', '000001.log'])
    expect(canStartAgain(unfinished)).toBe(true)
    expect(filesOf('tx_index.db')).toEqual(['LOCK'])
    expect(filesOf('state.db')).toHaveLength(5)
  })

  it.each(['000001.log', '000007.ldb', '000007.sst', 'OPTIONS-000003'])(
    'leaves a database to the operator that has %s and lost its entry',
    (file) => {
      putDatabase('blockstore.db', ['LOCK', 'LOG', 'MANIFEST-000000', file])
      expect(canStartAgain(unfinished)).toBe(false)
      expect(filesOf('blockstore.db')).toHaveLength(4)
    },
  )

  it('waits for the CometBFT before it, which still has the data', () => {
    expect(canStartAgain('ERROR: failed to create node: resource temporarily unavailable')).toBe(true)
  })

  it('does not start again for any other reason', () => {
    putDatabase('tx_index.db', ['LOCK', 'MANIFEST-000000'])
    expect(canStartAgain('ERROR: failed to create node: address already in use')).toBe(false)
    expect(filesOf('tx_index.db')).toHaveLength(2)
  })
})
