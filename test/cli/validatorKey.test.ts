import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

describe('the validator key of a home', slow, () => {
  let home: string
  let keyFile: string
  let start: () => ReturnType<typeof runToEnd>
  beforeEach(async () => {
    home = join(temporaryHome(), 'node')
    keyFile = join(home, 'engine', 'config', 'priv_validator_key.json')
    const folder = join(home, '..')
    const [genesis, id] = [join(folder, 'genesis.json'), join(folder, 'id.json')]
    const reward = `0x${'1'.repeat(40)}`
    for (const args of [
      ['init', '--home', home, '--engine=cometbft'],
      ['network', 'id', '--home', home, '--json'],
      ['genesis', 'new', genesis, '--chain-id=7'],
      ['genesis', 'add-validator', genesis, '--id', id, `--reward=${reward}`],
    ]) {
      const { code, stdout } = await runToEnd(args)
      expect(code).toBe(0)
      if (args[1] === 'id') writeFileSync(id, stdout)
    }
    start = () => runToEnd(['start', ...isolatedFlags(home), '--cometbft=/bin/false', '--genesis', genesis])
  })
  afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }))

  const newKey = () => runToEnd(['network', 'new-key', '--home', home])

  test('is not replaced by a start if it is missing, whatever else of CometBFT is', async () => {
    for (const lost of [keyFile, join(home, 'engine')]) {
      rmSync(lost, { recursive: true })
      const { code, stderr } = await start()
      expect(code).toBe(78)
      expect(stderr).toContain(`the validator key ${keyFile} is missing, and this home had one`)
      expect(stderr).toContain(
        'restore it from a backup, or make a new one with `perihelion network new-key`',
      )
      expect(existsSync(keyFile)).toBe(false)
    }
    const shown = await runToEnd(['network', 'id', '--home', home])
    expect(shown.stderr).toContain(`perihelion network new-key --home ${home}`)
    // The remedy works.
    expect(await newKey()).toMatchObject({ code: 0, stdout: expect.stringContaining('validator key') })
    expect(await runToEnd(['network', 'id', '--home', home])).toMatchObject({ code: 0 })
  })

  test('is changed by a command, which keeps the old one', async () => {
    const before = readFileSync(keyFile, 'utf8')
    const { address } = JSON.parse(before) as { readonly address: string }
    const { code, stdout } = await newKey()
    expect(code).toBe(0)
    const kept = join(home, 'engine', 'config', `priv_validator_key.${address}.json`)
    expect(stdout).toContain(`old key            ${kept}`)
    expect(readFileSync(kept, 'utf8')).toBe(before)
    expect(readFileSync(keyFile, 'utf8')).not.toBe(before)
  })

  test('that is damaged, or whose record is, has a remedy that works', async () => {
    writeFileSync(keyFile, '')
    const remedy = 'move it away and make a new one with `perihelion network new-key`'
    expect(await start()).toMatchObject({ code: 74, stderr: expect.stringContaining(remedy) })
    renameSync(keyFile, `${keyFile}.damaged`)
    expect(await newKey()).toMatchObject({ code: 0 })
    const record = join(home, 'engine', 'data', 'priv_validator_state.json')
    writeFileSync(record, '{"height":')
    const raise = ['network', 'sign-state', '--home', home, '--raise', '50']
    expect(await start()).toMatchObject({ code: 74, stderr: expect.stringContaining('sign-state --raise') })
    const { code, stdout } = await runToEnd(raise)
    expect(code).toBe(0)
    const [, damagedAt = ''] = /^the damaged record is kept at (.*)$/m.exec(stdout) ?? []
    expect(readFileSync(damagedAt, 'utf8')).toBe('{"height":')
    // Nothing of it is in the way any more: the start gets as far as its CometBFT, which is none.
    expect((await start()).stderr).toContain('/bin/false')
  })

  test('is made by no command in a home of another kind', async () => {
    const other = temporaryHome()
    const { code, stderr } = await runToEnd(['network', 'new-key', '--home', other])
    expect(code).toBe(78)
    expect(stderr).toContain('perihelion init --engine cometbft')
    rmSync(other, { recursive: true })
  })
})
