import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyBytes } from '../../../src/base/encoding/bytes.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { slow } from '../../support/slow.ts'
import { compact, keccak } from '../replay/block/signing.ts'
import { blob, nested, join as joined, uint } from '../replay/wire.ts'
import { chainOf, compareState, outcomes, serveStates, startNode, stateLength } from './servedStates.ts'

/** States of a chain of our own, proven by its headers whatever its nodes say. */

const height = 12
const zero = new Uint8Array(32)

const setUp = async (isVerified: boolean, hasHonest = false) => {
  const chain = chainOf('perihelion')
  const [liar, honest] = [await startNode(chain), hasHonest ? await startNode(chain) : undefined]
  const gateway = await serveStates(honest ? [liar, honest] : [liar], [`--gateway.verify-state=${isVerified}`])
  const [first, second] = chain.authors.map(({ key }) => key.address)
  const { place } = chain.world.slots(height)[0] ?? {}
  if (first === undefined || second === undefined || place === undefined) throw new Error('nothing is there')
  return { chain, liar, gateway, first, second, contract: place.subarray(0, 20) }
}

type Altered = (response: Uint8Array) => Uint8Array

/** Answers a query with another response, whatever its height; and proofs of it with other ones. */
const lie =
  (query: string, response: Uint8Array, proof: (told: Record<string, unknown>) => object = (told) => told) =>
  (method: string, result: unknown, { path, prove }: Readonly<Record<string, unknown>>): unknown => {
    if (method !== 'abci_query') return result
    const told = (result as { response: Record<string, unknown> }).response
    if (prove === true) return { response: proof(told) }
    if (!String(path).endsWith(`perihelion.v1.Query/${query}`)) return result
    return { response: { ...told, value: Buffer.from(blob(1, response)).toString('base64') } }
  }

const account = (nonce: number, balance: bigint): Uint8Array =>
  nested(
    1,
    joined(uint(1, nonce), blob(2, compact(balance)), blob(3, keccak(emptyBytes)), blob(4, keccak(Uint8Array.of(0x80)))),
  )

const at = `0x${height.toString(16)}`

interface Claim {
  readonly query: string
  readonly response: Uint8Array
  readonly method: string
  /** What a client is told if the lie is believed. */
  readonly served: unknown
  readonly of: 'second' | 'contract' | 'nobody'
  readonly slot?: boolean
}

const claims: readonly Claim[] = [
  { query: 'Account', response: account(0, 5n), method: 'eth_getBalance', served: '0x5', of: 'second' },
  { query: 'Account', response: account(77, 5n), method: 'eth_getTransactionCount', served: '0x4d', of: 'second' },
  { query: 'Account', response: account(0, 5n), method: 'eth_getBalance', served: '0x5', of: 'nobody' },
  { query: 'Account', response: emptyBytes, method: 'eth_getBalance', served: '0x0', of: 'second' },
  { query: 'Code', response: blob(1, Uint8Array.of(0xfe)), method: 'eth_getCode', served: '0xfe', of: 'contract' },
  { query: 'Code', response: emptyBytes, method: 'eth_getCode', served: '0x', of: 'contract' },
  {
    query: 'Storage',
    response: blob(1, zero.with(31, 9)),
    method: 'eth_getStorageAt',
    served: toHex(zero.with(31, 9)),
    of: 'contract',
    slot: true,
  },
]

const paramsOf = ({ of, slot }: Claim, { second, contract }: { second: Uint8Array; contract: Uint8Array }) => {
  const address = { second, contract, nobody: new Uint8Array(20).fill(0x77) }[of]
  return [toHex(address), ...(slot ? ['0x0'] : []), at]
}

describe('proven states of a chain of our own', () => {
  test('every value is proven below the head', async () => {
    const { chain, gateway, first, contract } = await setUp(true)
    for (const address of [first, contract, new Uint8Array(20).fill(0x77)])
      await compareState(gateway, chain, address, height)
    await compareState(gateway, chain, first, 1)
    const { proven = 0, newest, 'no proof': none, 'in part': parts } = await outcomes(gateway)
    expect(proven).toBeGreaterThan(14)
    expect([newest, none, parts]).toEqual([0, 0, 0])
    await compareState(gateway, chain, first, stateLength)
    expect((await outcomes(gateway)).newest).toBeGreaterThan(0)
    await compareState(gateway, chain, first, 0)
    expect(await gateway.call('perihelion_status')).toMatchObject({
      verifiedState: true,
      stateProblem: null,
      lies: [],
    })
  })

  test('lies about balances, nonces, code and slots are not served, and another node is asked', async () => {
    for (const [index, claim] of claims.entries()) {
      if (index > 0 && process.env.SLOW !== '1') break
      const set = await setUp(true, true)
      const params = paramsOf(claim, set)
      await set.liar.setFaults({ alter: lie(claim.query, claim.response) })
      const { result } = await set.gateway.ask(claim.method, params)
      expect(result).toBeDefined()
      expect(result).not.toBe(claim.served)
    }
  })
})
