import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readHomeMode, recordHomeMode } from './homeMode.ts'
import { loadConfig } from './load.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-mode-'))
  mkdirSync(join(home, 'data'))
})
afterEach(() => rmSync(home, { recursive: true }))

const load = (...flags: readonly string[]) =>
  loadConfig({ flags: ['--home', home, ...flags], purpose: 'node' }).config

const writeToml = (text: string): void => {
  mkdirSync(join(home, 'config'), { recursive: true })
  writeFileSync(join(home, 'config', 'app.toml'), text)
}

test('what is known of a home stays as it is', () => {
  expect(readHomeMode(home)).toEqual({})
  recordHomeMode(home, { dev: false })
  recordHomeMode(home, { engine: 'solo', dev: true })
  recordHomeMode(home, { engine: 'cometbft', dev: true })
  expect(readHomeMode(home)).toEqual({ engine: 'solo', dev: false })
})

test('a home with the configuration of CometBFT is a validator’s, also if an older version made it', () => {
  mkdirSync(join(home, 'engine', 'config'), { recursive: true })
  writeFileSync(join(home, 'engine', 'config', 'genesis.json'), '{}')
  expect(load()).toMatchObject({ engine: 'cometbft', dev: false })
})

test.each(['', '[', '{"engine":"none"}', '{"engine":"other"}', '{"dev":1}'])(
  'a mode that cannot be read is an error: %j',
  (text) => {
    writeFileSync(join(home, 'data', 'mode.json'), text)
    expect(() => load()).toThrow(/mode\.json cannot be read/)
  },
)

describe('a home that was begun under CometBFT', () => {
  beforeEach(() => recordHomeMode(home, { engine: 'cometbft', dev: false }))

  test('goes on so without a flag, also where app.toml has the default', () => {
    expect(load()).toMatchObject({ engine: 'cometbft', dev: false })
    writeToml('engine = "solo"\ndev = "auto"\n')
    expect(load()).toMatchObject({ engine: 'cometbft', dev: false })
  })

  test.each([
    ['--engine solo', /engine: got solo \(--engine\), but the chain of this home is made by cometbft/],
    ['--dev', /dev: got true \(--dev\), but the chain of this home is no dev chain/],
  ])('refuses %s in one line', (flags, message) => {
    expect(() => load(...flags.split(' '))).toThrow(message)
  })

  test('can be read without an engine, and is not asked about an ephemeral chain', () => {
    expect(load('--engine', 'none').engine).toBe('none')
    expect(load('--ephemeral').engine).toBe('solo')
  })

  test('is no matter of other commands', () => {
    expect(loadConfig({ flags: ['--home', home] }).config.engine).toBe('solo')
  })
})

test('a dev chain may be served without its dev profile, and by no other engine', () => {
  recordHomeMode(home, { engine: 'solo', dev: true })
  expect(load()).toMatchObject({ engine: 'solo', dev: true })
  expect(load('--dev=false').dev).toBe(false)
  expect(() => load('--engine=cometbft')).toThrow(/is made by solo/)
  expect(JSON.parse(readFileSync(join(home, 'data', 'mode.json'), 'utf8'))).toEqual({
    engine: 'solo',
    dev: true,
  })
})
