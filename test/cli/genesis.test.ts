import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const run = (...args: readonly string[]) => runToEnd(args)

const admin = `0x${'ad'.repeat(20)}`
const reward = `0x${'ee'.repeat(20)}`

describe('perihelion genesis', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = temporaryHome()
    file = join(folder, 'genesis.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('makes a file that one process begins with', slow, async () => {
    const flags = ['--chain-id=4242', '--alloc', `${admin}=5`, '--gas-limit=30000000']
    expect(await run('genesis', 'new', file, ...flags)).toMatchObject({ code: 0, stderr: '' })
    expect(await run('genesis', 'new', file, ...flags)).toMatchObject({ code: 74 })
    const { stdout } = await run('genesis', 'show', file)
    expect(stdout).toMatch(/^chain id +4242$/m)
    expect(stdout).toMatch(/^gas limit +30000000$/m)
    expect(await run('genesis', 'validate', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('a chain can begin with it'),
    })
    const started = await run('start', ...isolatedFlags(join(folder, 'home')), '--genesis', file)
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining(' chain=4242 height=0') })
  })

  test('takes the validators of homes that init made, with which init takes it', slow, async () => {
    expect((await run('genesis', 'new', file, '--chain-id=4242', '--admin', admin)).code).toBe(0)
    const homes = [join(folder, 'one'), join(folder, 'two')]
    for (const [index, home] of homes.entries()) {
      await run('init', '--home', home, '--engine=cometbft')
      const identity = await run('network', 'id', '--home', home, '--json')
      const { validatorKey } = JSON.parse(identity.stdout) as { readonly validatorKey: string }
      const id = join(folder, 'id.json')
      writeFileSync(id, identity.stdout)
      const added = await run('genesis', 'add-validator', file, '--id', id, '--reward', reward)
      expect(added).toMatchObject({
        code: 0,
        stdout: `${file} has ${['1 validator', '2 validators'][index]}\n`,
      })
      const again = await run('genesis', 'add-validator', file, '--key', validatorKey, '--reward', reward)
      expect(again).toMatchObject({ code: 64, stderr: expect.stringContaining('names a key twice') })
    }
    expect(await run('genesis', 'validate', file)).toMatchObject({
      code: 0,
      stdout: `${file}: a chain can begin with it\n`,
    })
    const { stdout } = await run('genesis', 'show', file)
    expect(stdout.match(/^validator /gm)).toHaveLength(2)
    expect(stdout).toContain(`admin        ${admin}`)
    const third = join(folder, 'three')
    expect(await run('init', '--home', third, '--engine=cometbft', '--genesis', file)).toMatchObject({
      code: 0,
    })
  })

  test.each([
    ['null', 'is not an object'],
    ['{ "config": "text" }', 'config is not an object'],
    ['{ "config": { "perihelion": "text" } }', 'perihelion is not an object'],
    ['{ "alloc": {}, "alloc": {} }', 'alloc is given twice'],
  ])('adds no validator to %s, and leaves it as it is', async (text, said) => {
    writeFileSync(file, text)
    const added = await run('genesis', 'add-validator', file, '--key', 'A'.repeat(44), '--reward', reward)
    expect(added).toMatchObject({
      code: 74,
      stderr: expect.stringMatching(new RegExp(`^perihelion: .*${said}\n$`)),
    })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('tells what is wrong with a file', async () => {
    writeFileSync(file, '{')
    expect(await run('genesis', 'validate', file)).toMatchObject({ code: 78 })
    await run('genesis', 'new', join(folder, 'good.json'), '--chain-id=7')
    const good = JSON.parse(readFileSync(join(folder, 'good.json'), 'utf8')) as { alloc: object }
    writeFileSync(file, JSON.stringify({ ...good, alloc: {} }))
    const { code, stderr } = await run('genesis', 'validate', file)
    expect(code).toBe(78)
    expect(stderr).toContain(`${file}: `)
    expect(await run('genesis', 'new', join(folder, 'x.json'), '--chain-id=x')).toMatchObject({ code: 64 })
  })
})
