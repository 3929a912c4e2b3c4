import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { ownPorts, type Program, run } from '../../support/program.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { hasOfficialChain, suiteFolder, suiteMissing } from '../officialChain.ts'
import { type Case, readCases } from './cases.ts'
import { findDifference } from './compare.ts'
import { exceptions } from './exceptions.ts'

const cases = hasOfficialChain ? readCases(suiteFolder) : []
const namespaces = 'eth,net,web3,debug,txpool'

/** Calls whose order matters share one node, as they do where the answers were recorded. */
describe('the official request and response suite', () => {
  let home: string
  let node: Program
  let http = ''
  const tally = { passed: 0, failed: 0, excepted: 0 }

  beforeAll(async () => {
    if (!hasOfficialChain) return
    home = temporaryHome()
    const chain = join(suiteFolder, 'chain.rlp')
    const genesis = join(suiteFolder, 'genesis.json')
    const imported = run(['import', '--genesis', genesis, chain, '--home', home])
    expect(await imported.ended(), imported.stderr()).toBe(0)
    node = run(['start', '--engine=none', ...ownPorts(home), `--json-rpc.api=${namespaces}`])
    const ready = await node.ready()
    http = ready.http ?? ''
    expect(ready).toMatchObject({ chain: '3503995874084926', height: '54' })
  })

  afterAll(async () => {
    if (!hasOfficialChain) return
    node.child.kill('SIGTERM')
    await node.ended()
    rmSync(home, { recursive: true, force: true })
    const { passed, failed, excepted } = tally
    console.log(`execution-apis: ${passed} passed, ${failed} failed, ${excepted} excepted`)
  })

  const differenceOf = async ({ exchanges, isSpecOnly }: Case): Promise<string | undefined> => {
    for (const { sent, expected } of exchanges) {
      const difference = findDifference(expected, await postJson(http, sent), isSpecOnly)
      if (difference !== undefined) return difference
    }
    return undefined
  }

  test('is there', (ctx) => {
    if (!hasOfficialChain) ctx.skip(suiteMissing)
    expect(cases.length).toBeGreaterThan(0)
    const names = new Set(cases.map(({ name }) => name))
    expect(Object.keys(exceptions).filter((name) => !names.has(name))).toEqual([])
  })

  for (const recorded of cases)
    test(recorded.name, async () => {
      const difference = await differenceOf(recorded)
      const reason = exceptions[recorded.name]
      const isAsListed = (difference === undefined) === (reason === undefined)
      if (!isAsListed) tally.failed++
      else if (reason === undefined) tally.passed++
      else tally.excepted++
      if (reason === undefined) expect(difference).toBeUndefined()
      else expect(difference, `is listed as an exception (${reason}) and passes`).toBeDefined()
    })
})
