import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ValidatorWatch } from './validatorWatch.ts'

const own = new Uint8Array(20).fill(7)
const vote = (address: Uint8Array, blockIdFlag: number) => ({
  validator: { address, power: 10n },
  blockIdFlag,
})
const other = vote(new Uint8Array(20).fill(1), 2)

test('counts what the validator of this node signed and missed', () => {
  const watch = new ValidatorWatch(undefined)
  watch.onVotes([vote(own, 1)])
  expect(watch.stats()).toEqual({ power: 0, signed: 0, missed: 0, signHeight: 0 })
  watch.setAddress(own)
  watch.onVotes([other, vote(own, 2)])
  watch.onVotes([other, vote(own, 1)])
  watch.onVotes([other, vote(own, 3)])
  expect(watch.stats()).toMatchObject({ power: 10, signed: 1, missed: 2 })
  watch.onVotes([other])
  expect(watch.stats()).toMatchObject({ power: 0, signed: 1, missed: 2 })
})

test('reads what was signed last', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-sign-'))
  try {
    const watch = new ValidatorWatch(folder)
    expect(watch.stats().signHeight).toBe(0)
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'data', 'priv_validator_state.json'), '{"height":"41","round":0,"step":3}')
    expect(watch.stats().signHeight).toBe(41)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
