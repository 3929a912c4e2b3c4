import { describe, expect, test } from 'vitest'
import { parseFlags } from './flags.ts'

const read = (...args: string[]) => {
  const { texts, problems } = parseFlags(args)
  return { texts: Object.fromEntries(texts), problems }
}

describe('flags', () => {
  test.each<[string[], Record<string, string>]>([
    [[], {}],
    [['--home', '/a'], { home: '/a' }],
    [['--home=/a=b'], { home: '/a=b' }],
    [['--home='], { home: '' }],
    [['--home', '', '--dev'], { home: '', dev: 'true' }],
    [['--home=--odd'], { home: '--odd' }],
    [['--home', '-odd'], { home: '-odd' }],
    [['--fork-header', 'A: 1', '--fork-header=B: 2, 3'], { 'fork-header': 'A: 1\nB: 2, 3' }],
    [['--dev'], { dev: 'true' }],
    [['--dev', 'false'], { dev: 'false' }],
    [['--dev=false', '--home', 'x'], { dev: 'false', home: 'x' }],
    [
      ['--json-rpc.enable', '--json-rpc.address', '[::1]:0'],
      { 'json-rpc.enable': 'true', 'json-rpc.address': '[::1]:0' },
    ],
  ])('%j', (args, texts) => {
    expect(read(...args)).toEqual({ texts, problems: [] })
  })

  test.each<[string[], string]>([
    [['here'], 'argument 1: not a flag; flags are given as --name value'],
    // Words of a mnemonic that was not quoted.
    [['--mnemonic', 'junk', 'test', '--dev'], 'argument 3: not a flag'],
    [['-mnemonic=junk'], '"-mnemonic": not a flag'],
    [['--'], '"--": not a flag; flags are given as --name value'],
    [['-d'], '"-d": not a flag; flags are given as --name value'],
    [['--=x'], '"--": not a flag; flags are given as --name value'],
    [['--prot', '1'], '--prot: unknown flag, use --json-rpc.address 127.0.0.1:PORT'],
    [['--data-dri', 'x'], '--data-dri: unknown flag, use --home FOLDER'],
    [['--hom', 'x'], '--hom: unknown flag, the nearest is --home'],
    [['--toString=x'], '--toString: unknown flag, the nearest is --'],
    [['--home'], '--home: has no value, wanted a folder'],
    [['--home', '--dev'], '--home: has no value, wanted a folder'],
    [['--dev', '--dev=false'], '--dev: given more than once'],
  ])('%j is rejected', (args, problem) => {
    const { problems } = read(...args)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })

  test('all problems come at once', () => {
    expect(read('one', '--hom', 'x', '--home', '--dev', '--dev', 'two', 'three').problems).toHaveLength(5)
  })
})
