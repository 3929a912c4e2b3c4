import { describe, expect, test } from 'vitest'
import { editDistance, nearestSetting, toEnvironmentName } from './names.ts'
import { settingEntries, settings } from './settings.ts'

describe('names', () => {
  test.each([
    ['', '', 0],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'xaby', 2],
  ])('from %j to %j are %i edits', (a, b, edits) => {
    expect(editDistance(a, b)).toBe(edits)
    expect(editDistance(b, a)).toBe(edits)
  })

  test.each([
    ['json-rpc.adress', 'json-rpc.address'],
    ['jsonrpc.ws-addres', 'json-rpc.ws-address'],
    ['JSON-RPC.API', 'json-rpc.api'],
    ['address', 'json-rpc.address'],
    ['minimum-gas-price', 'minimum-gas-prices'],
    ['loglevel', 'log.level'],
    ['batch-limit', 'json-rpc.rate-limit'],
    ['__proto__', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('the nearest to %.30s', (unknown, nearest) => {
    const found = nearestSetting(unknown)
    expect(settings).toHaveProperty([found])
    if (nearest !== undefined) expect(found).toBe(nearest)
  })

  test('no two settings share a variable', () => {
    const variables = settingEntries.map(([name]) => toEnvironmentName(name))
    expect(new Set(variables).size).toBe(variables.length)
    expect(variables).toContain('PERIHELION_JSON_RPC_WS_ADDRESS')
  })
})
