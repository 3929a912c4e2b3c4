import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { eventually } from '../../support/eventually.ts'
import { slow, testSome } from '../../support/slow.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'
import { text } from '../replay/wire.ts'
import { chainOf, compare, length, outcomes, quantity, serve, startNode } from './servedStates.ts'

/** States that are proven by the headers of a chain, whatever its nodes say. */

const addressesOf = (chain: SyntheticChain, height: number): readonly Uint8Array[] => [
  ...chain.world.accounts(height).map(({ address }) => address),
  new Uint8Array(20).fill(0x77),
]

/** Answers a query with another value, whatever its height. */
const lie =
  (query: string, response: Uint8Array) =>
  (method: string, result: unknown, { path }: Readonly<Record<string, unknown>>): unknown => {
    if (method !== 'abci_query' || !String(path).endsWith(`Query/${query}`)) return result
    const told = result as { response: object }
    return { response: { ...told.response, value: Buffer.from(response).toString('base64') } }
  }

describe('proven states', () => {
  testSome(1, ['cosmos-evm-0.7', 'ethermint'] as const)(
    'every value of %s is proven below the head',
    async (family) => {
      const chain = chainOf(family)
      const gateway = await serve([await startNode(chain)])
      for (const address of addressesOf(chain, 12).slice(-8)) await compare(gateway, chain, address, 12)
      const { proven = 0, newest, 'no proof': none, 'in part': parts } = await outcomes(gateway)
      expect(proven).toBeGreaterThan(40)
      expect([newest, none, parts]).toEqual([0, 0, 0])
      expect(await gateway.call('perihelion_status')).toMatchObject({
        verifiedState: true,
        stateProblem: null,
        lies: [],
      })
    },
  )

  test('the newest state is believed, and asked for again when it can be proven', slow, async () => {
    const chain = chainOf('cosmos-evm-0.7')
    const node = await startNode(chain)
    const gateway = await serve([node])
    const [{ key } = { key: { address: new Uint8Array(20) } }] = chain.authors
    await compare(gateway, chain, key.address, length)
    expect((await outcomes(gateway)).proven).toBe(0)
    node.grow()
    await eventually(async () => Number(await gateway.call('eth_blockNumber')) > length)
    await compare(gateway, chain, key.address, length)
    expect((await outcomes(gateway)).proven).toBeGreaterThan(4)
  })

  test('with gateway.hold-newest the newest state is proven too', slow, async () => {
    const chain = chainOf('cosmos-evm-0.7')
    const gateway = await serve([await startNode(chain)], ['--gateway.hold-newest=true'], length - 1)
    const [{ key } = { key: { address: new Uint8Array(20) } }] = chain.authors
    await compare(gateway, chain, key.address, length - 1)
    expect(await outcomes(gateway)).toMatchObject({ newest: 0 })
  })

  test('a node that lies about a balance is found out, and another one asked', slow, async () => {
    const chain = chainOf('cosmos-evm-0.7')
    const [liar, honest] = [await startNode(chain), await startNode(chain)]
    const gateway = await serve([liar, honest])
    const [first, second] = chain.authors.map(({ key }) => key.address)
    if (first === undefined || second === undefined) throw new Error('there are no authors')
    await compare(gateway, chain, first, 12)
    await liar.setFaults({ alter: lie('Balance', text(1, '5')) })
    expect(await gateway.call('eth_getBalance', toHex(second), '0xb')).toBe(
      quantity(chain.world.account(second, 11).balance),
    )
    const evidence = readFileSync(join(gateway.home, 'data', 'lies.jsonl'), 'utf8')
    expect(evidence).toContain('forged state')
    expect(evidence).toContain('ics23:iavl')
    const { lies } = await gateway.call<{ lies: { kind: string }[] }>('perihelion_status')
    expect(lies.map(({ kind }) => kind)).toEqual(['forged state'])
  })

  test('a proof that leads elsewhere is a lie with the header as its evidence', slow, async () => {
    const chain = chainOf('cosmos-evm-0.7')
    const liar = await startNode(chain)
    const gateway = await serve([liar])
    const [first] = chain.authors.map(({ key }) => key.address)
    if (first === undefined) throw new Error('there are no authors')
    await compare(gateway, chain, first, 12)
    // It answers from another height, coherently.
    await liar.setFaults({
      alter: (method, result, { path, data, prove }) => {
        if (method !== 'abci_query' || prove !== true) return result
        const { value, proof = '' } = chain.prove(String(path), Buffer.from(String(data), 'hex'), 5)
        const told = result as { response: object }
        return {
          response: {
            ...told.response,
            value: Buffer.from(value).toString('base64'),
            proofOps: JSON.parse(proof),
          },
        }
      },
    })
    expect((await gateway.ask('eth_getBalance', [toHex(first), '0xb'])).error).toBeDefined()
    const evidence = readFileSync(join(gateway.home, 'data', 'lies.jsonl'), 'utf8')
    expect(evidence).toContain('it leads to another AppHash')
    expect(evidence).toContain('validator_address')
  })

  test('a chain without proofs is believed, which is said', slow, async () => {
    const chain = chainOf('cosmos-evm-0.7', false)
    const gateway = await serve([await startNode(chain)])
    const [{ key } = { key: { address: new Uint8Array(20) } }] = chain.authors
    expect(await gateway.call('eth_getBalance', toHex(key.address), '0xc')).toBe(
      quantity(chain.world.account(key.address, 12).balance),
    )
    expect(await outcomes(gateway)).toMatchObject({ proven: 0, 'no proof': 1 })
    const { stateProblem } = await gateway.call<{ stateProblem: string }>('perihelion_status')
    expect(stateProblem).toContain('no proof of the store evm')
  })

  test('where there were proofs, an answer without one is not served', slow, async () => {
    const chain = chainOf('cosmos-evm-0.7')
    const node = await startNode(chain)
    const gateway = await serve([node])
    const [first, second] = chain.authors.map(({ key }) => key.address)
    if (first === undefined || second === undefined) throw new Error('there are no authors')
    await compare(gateway, chain, first, 12)
    await node.setFaults({
      alter: (method, result, { prove }) => {
        if (method !== 'abci_query' || prove !== true) return result
        const told = result as { response: object }
        return { response: { ...told.response, proofOps: null } }
      },
    })
    const { error } = await gateway.ask('eth_getBalance', [toHex(second), '0xc'])
    expect(error?.code).toBe(-32002)
  })
})
