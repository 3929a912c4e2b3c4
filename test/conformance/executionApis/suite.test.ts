import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { createRpcClient } from '../../support/rpc/rpcClient.ts'
import { hasOfficialChain, type ServedChain, serveOfficialChain } from '../officialChain.ts'
import { executionApis, executionApisMissing } from '../officialSuites.ts'
import { type Case, readCases } from './cases.ts'
import { findDifference } from './compare.ts'
import { exceptions } from './exceptions.ts'

const cases = hasOfficialChain ? readCases(executionApis) : []
const namespaces = 'eth,net,web3,debug,txpool'

/** Calls whose order matters share one node, as they do where the answers were recorded. */
describe('the official request and response suite', () => {
  let served: ServedChain | undefined
  const tally = { passed: 0, failed: 0, excepted: 0 }

  beforeAll(async () => {
    if (!hasOfficialChain) return
    served = await serveOfficialChain(`--json-rpc.api=${namespaces}`)
  })

  afterAll(async () => {
    if (served === undefined) return
    await served.close()
    const { passed, failed, excepted } = tally
    console.log(`execution-apis: ${passed} passed, ${failed} failed, ${excepted} excepted`)
  })

  const differenceOf = async ({ exchanges, isSpecOnly }: Case): Promise<string | undefined> => {
    for (const { sent, expected } of exchanges) {
      const difference = findDifference(expected, await postJson(served?.http ?? '', sent), isSpecOnly)
      if (difference !== undefined) return difference
    }
    return undefined
  }

  test('is there', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    expect(cases.length).toBeGreaterThan(0)
    const names = new Set(cases.map(({ name }) => name))
    expect(Object.keys(exceptions).filter((name) => !names.has(name))).toEqual([])
  })

  test('is asked of its whole chain', async (ctx) => {
    if (served === undefined) return ctx.skip(executionApisMissing)
    const { call } = createRpcClient(served.http)
    expect(await call('net_version')).toBe('3503995874084926')
    expect(await call('eth_blockNumber')).toBe('0x36')
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
