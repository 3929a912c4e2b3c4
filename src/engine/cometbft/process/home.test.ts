import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { raiseSignState, readSignState, signStatePath } from '../signing/signState.ts'
import { ensureEngineHome } from './home.ts'

test('a start without the key keeps the record of what it signed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-engine-'))
  try {
    const { validatorKey } = ensureEngineHome(folder)
    const path = signStatePath(folder)
    expect(readSignState(path)).toEqual({ height: 0, round: 0, step: 0 })
    raiseSignState(path, 41)
    rmSync(join(folder, 'config', 'priv_validator_key.json'))
    expect(ensureEngineHome(folder).validatorKey).not.toEqual(validatorKey)
    expect(readSignState(path)).toMatchObject({ height: 41 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
