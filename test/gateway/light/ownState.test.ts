import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyBytes } from '../../../src/base/encoding/bytes.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { slow, testSome } from '../../support/slow.ts'
import { compact, keccak } from '../replay/block/signing.ts'
import { emptyRoot } from '../replay/block/trie.ts'
import { blob, join as joined, nested, uint } from '../replay/wire.ts'
import {
  chainOf,
  compare,
  length,
  outcomes,
  quantity,
  type Served,
  serve,
  startNode,
} from './servedStates.ts'

/** States of a chain of our own, proven by its headers whatever its nodes say. */

const height = 12
const zero = new Uint8Array(32)
const nobody = new Uint8Array(20).fill(0x77)
const wrongWord = zero.with(31, 9)

const setUp = async (isVerified: boolean | 'calls' = true, hasHonest = false) => {
  const chain = chainOf('perihelion')
  const liar = await startNode(chain)
  const nodes = hasHonest ? [liar, await startNode(chain)] : [liar]
  const gateway = await serve(nodes, [`--gateway.verify-state=${isVerified}`])
  const [author] = chain.authors.map(({ key }) => key.address)
  const [{ place } = {}] = chain.world.slots(height)
  if (author === undefined || place === undefined) throw new Error('the chain has nothing to lie about')
  return { chain, liar, gateway, author, contract: place.subarray(0, 20) }
}

type Told = Readonly<Record<string, unknown>>

/** Answers a query with another response, whatever its height. */
const lieAbout =
  (query: string, response: Uint8Array) =>
  (method: string, result: unknown, { path }: Told): unknown => {
    if (method !== 'abci_query' || path !== `/perihelion.v1.Query/${query}`) return result
    const told = (result as { response: object }).response
    return { response: { ...told, value: Buffer.from(nested(1, response)).toString('base64') } }
  }

const account = (nonce: number, balance: bigint, codeHash = keccak(emptyBytes)): Uint8Array =>
  nested(1, joined(uint(1, nonce), blob(2, compact(balance)), blob(3, codeHash), blob(4, emptyRoot)))

interface Claim {
  readonly name: string
  readonly query: string
  readonly response: Uint8Array
  readonly method: string
  /** Where a slot is asked for. */
  readonly slot?: string
  readonly of: 'author' | 'contract' | 'nobody'
  /** What a client is told if the lie is believed. */
  readonly served: unknown
}

const balance = { query: 'Account', method: 'eth_getBalance' }
const code = { query: 'Code', method: 'eth_getCode' }
const storage = { query: 'Storage', method: 'eth_getStorageAt' }

const claims: readonly Claim[] = [
  { name: 'another balance', ...balance, response: account(3, 5n), of: 'author', served: '0x5' },
  { name: 'a balance of nobody', ...balance, response: account(0, 5n), of: 'nobody', served: '0x5' },
  { name: 'no account', ...balance, response: emptyBytes, of: 'author', served: '0x0' },
  {
    name: 'another nonce',
    query: 'Account',
    method: 'eth_getTransactionCount',
    response: account(77, 5n),
    of: 'author',
    served: '0x4d',
  },
  { name: 'other code', ...code, response: blob(1, Uint8Array.of(0xfe)), of: 'contract', served: '0xfe' },
  { name: 'no code', ...code, response: emptyBytes, of: 'contract', served: '0x' },
  { name: 'code of nobody', ...code, response: blob(1, Uint8Array.of(0xfe)), of: 'nobody', served: '0xfe' },
  {
    name: 'another slot',
    ...storage,
    response: blob(1, wrongWord),
    slot: '0x0',
    of: 'contract',
    served: toHex(wrongWord),
  },
  {
    name: 'an empty slot',
    ...storage,
    response: blob(1, zero),
    slot: '0x0',
    of: 'contract',
    served: toHex(zero),
  },
  {
    name: 'a slot that is not there',
    ...storage,
    response: blob(1, wrongWord),
    slot: '0x5',
    of: 'contract',
    served: toHex(wrongWord),
  },
]

const askFor = ({ method, of, slot }: Claim, set: Awaited<ReturnType<typeof setUp>>) => {
  const address = { author: set.author, contract: set.contract, nobody }[of]
  return set.gateway.ask(method, [toHex(address), ...(slot === undefined ? [] : [slot]), quantity(height)])
}

const evidenceOf = ({ home }: Served): string => readFileSync(join(home, 'data', 'lies.jsonl'), 'utf8')

describe('proven states of a chain of our own', () => {
  test('every value is proven below the head', async () => {
    const { chain, gateway, author, contract } = await setUp()
    for (const address of [author, contract, nobody]) await compare(gateway, chain, address, height)
    await compare(gateway, chain, author, 1)
    const { proven = 0, newest, 'no proof': none, 'in part': parts } = await outcomes(gateway)
    // Balance and nonce are in one answer.
    expect(proven).toBe(16)
    expect([newest, none, parts]).toEqual([0, 0, 0])
    await compare(gateway, chain, author, length)
    await compare(gateway, chain, author, 0)
    expect(await outcomes(gateway)).toMatchObject({ proven: 16, newest: 4, 'no proof': 0, 'in part': 0 })
    expect(await gateway.call('perihelion_status')).toMatchObject({
      verifiedState: true,
      stateProblem: null,
      lies: [],
    })
  })

  test('with proven calls states are proven as before, and calls are counted', async () => {
    const { gateway, author } = await setUp('calls')
    await gateway.call('eth_getBalance', toHex(author), quantity(height))
    expect((await outcomes(gateway)).proven).toBe(1)
    // This node knows no witness.
    await gateway.ask('eth_call', [{ to: toHex(author) }, quantity(height)])
    expect(await (await fetch(`${gateway.http}/metrics`)).text()).toMatch(
      /perihelion_gateway_call_answers_total\{outcome="(?:proven|unproven)"\} 1/,
    )
  })

  test('a gateway of another family does not start with proven calls', async () => {
    const node = await startNode(chainOf('cosmos-evm-0.7'))
    await expect(serve([node], ['--gateway.verify-state=calls'])).rejects.toThrow('do not prove calls')
  })

  testSome(1, claims)('$name is not served, and kept as a lie', async (claim) => {
    const set = await setUp()
    await set.liar.setFaults({ alter: lieAbout(claim.query, claim.response) })
    const { result, error } = await askFor(claim, set)
    expect(result).toBeUndefined()
    expect(error?.code).toBe(-32002)
    expect(evidenceOf(set.gateway)).toContain('perihelion:mpt')
    const { lies } = await set.gateway.call<{ lies: { kind: string }[] }>('perihelion_status')
    expect(lies.map(({ kind }) => kind)).toEqual(['forged state'])
    expect(await (await fetch(`${set.gateway.http}/metrics`)).text()).toContain(
      'perihelion_gateway_lies_total{kind="forged state"} 1',
    )
  })

  testSome(1, claims)('$name is served without proofs: the lie is one', async (claim) => {
    const set = await setUp(false)
    await set.liar.setFaults({ alter: lieAbout(claim.query, claim.response) })
    expect((await askFor(claim, set)).result).toBe(claim.served)
  })

  test('a node that lies is quarantined, and another one asked', slow, async () => {
    const set = await setUp(true, true)
    const [claim] = claims as [Claim]
    await set.liar.setFaults({ alter: lieAbout(claim.query, claim.response) })
    expect((await askFor(claim, set)).result).toBe(
      quantity(set.chain.world.account(set.author, height).balance),
    )
    expect(evidenceOf(set.gateway)).toContain('forged state')
  })

  test('eth_getProof with other values or nodes is not served', slow, async () => {
    const { gateway, liar, author } = await setUp()
    const other = joined(account(3, 5n), blob(2, Uint8Array.of(0xc0)))
    await liar.setFaults({ alter: lieAbout('Proof', other) })
    expect((await gateway.ask('eth_getProof', [toHex(author), [], quantity(height)])).error?.code).toBe(
      -32002,
    )
    const evidence = evidenceOf(gateway)
    expect(evidence).toContain('it leads to another root')
    expect(evidence).toContain('validator_address')
  })

  test(
    'proofs of another height, coherent ones, are lies with the header as their evidence',
    slow,
    async () => {
      const { chain, gateway, liar, author } = await setUp()
      await liar.setFaults({
        alter: (method, result, { path, data, prove }) => {
          if (method !== 'abci_query') return result
          const request = Buffer.from(String(data), 'hex')
          const told = (result as { response: object }).response
          const isProof = prove === true
          if (!isProof && path !== '/perihelion.v1.Query/Account') return result
          const { value, proof = 'null' } = isProof
            ? chain.prove(String(path), request, 5)
            : { ...chain.query(String(path), blob(2, author), 5) }
          return {
            response: { ...told, value: Buffer.from(value).toString('base64'), proofOps: JSON.parse(proof) },
          }
        },
      })
      expect((await gateway.ask('eth_getBalance', [toHex(author), quantity(height)])).error?.code).toBe(
        -32002,
      )
      const evidence = evidenceOf(gateway)
      expect(evidence).toContain('it leads to another AppHash')
      expect(evidence).toContain('validator_address')
    },
  )

  test('without proofs nothing is served, from the first answer on', slow, async () => {
    const { gateway, liar, author } = await setUp()
    await liar.setFaults({
      alter: (method, result, { prove }) => {
        if (method !== 'abci_query' || prove !== true) return result
        return { response: { ...(result as { response: object }).response, proofOps: null } }
      },
    })
    expect((await gateway.ask('eth_getBalance', [toHex(author), quantity(height)])).error?.code).toBe(-32002)
    expect(await gateway.call('perihelion_status')).toMatchObject({
      stateProblem: expect.stringContaining('no proof of the store acc'),
      lies: [],
    })
  })
})
