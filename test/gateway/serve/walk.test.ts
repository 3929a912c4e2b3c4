import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { methodsOfProfile } from '../../../src/api/devProfile.ts'
import { loadSecret } from '../../../src/rpc/access/secret.ts'
import { expected } from '../../api/expected.ts'
import { forgeToken } from '../../support/rpc/forgeToken.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

const byHand = new Map(expected.map(({ name, params }) => [name, params]))

/** Not called: they would end what the others come through. */
const isEnding = (name: string): boolean => name.startsWith('admin_stop')

/** What a gateway in front of a foreign chain cannot do, beside what nobody can. */
const byChain = [
  'admin_addPeer',
  'admin_addTrustedPeer',
  'admin_exportChain',
  'admin_importChain',
  'admin_peerEvents',
  'admin_removeTrustedPeer',
  'debug_accountRange',
  'debug_chaindbCompact',
  'debug_chaindbProperty',
  'debug_clearTxpool',
  'debug_dbAncient',
  'debug_dbAncients',
  'debug_dbGet',
  'debug_dumpBlock',
  'debug_executionWitness',
  'debug_getModifiedAccountsByNumber',
  'debug_intermediateRoots',
  'debug_setHead',
  'debug_setMemoryLimit',
  'debug_standardTraceBlockToFile',
  'debug_traceBlock',
  'eth_callMany',
  'eth_simulateV1',
  'miner_setEtherbase',
  // No light client of ours proves what a foreign chain says.
  'perihelion_callWitness',
  'perihelion_chainConfig',
  'perihelion_lightBlock',
  'perihelion_proofs',
  'trace_callMany',
]

/** Over HTTP alone. */
const needsConnection = ['debug_subscribe', 'debug_unsubscribe']

describe('every method over a gateway', () => {
  let replay: Replay
  let gateway: ServedGateway
  let headers: Record<string, string>
  const home = temporaryHome()

  beforeAll(async () => {
    replay = await startReplay({ chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 12 }) })
    gateway = await serveGateway(home, [`--gateway.node=${replay.url}`])
    headers = { Authorization: `Bearer ${forgeToken({ claims: { iat: 0 }, secret: loadSecret(home) })}` }
  })
  afterAll(async () => {
    await gateway?.close()
    await replay?.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('answers, or says why not', slow, async () => {
    const unsupported: string[] = []
    const wrong: string[] = []
    const served = methodsOfProfile(false)
    for (const { name, examples } of served) {
      if (isEnding(name)) continue
      const params = byHand.get(name) ?? examples[0]?.params ?? []
      const { result, error } = await gateway.ask(name, params as readonly unknown[], headers)
      if (error === undefined) {
        if (result === undefined) wrong.push(`${name}: nothing`)
      } else if (error.code === -32004) {
        if (error.message.length < 20 || error.message.startsWith('not yet'))
          wrong.push(`${name}: ${error.message}`)
        unsupported.push(name)
      } else if (![-32000, -32602, 3].includes(error.code))
        wrong.push(`${name}: ${error.code} ${error.message}`)
    }
    expect(wrong).toEqual([])
    const always = new Set([
      ...expected.filter((row) => row.finalUnsupported !== 'never').map(({ name }) => name),
      ...needsConnection,
      // They change a chain of the own process; a gateway has none.
      ...served.filter(({ access }) => access === 'dev').map(({ name }) => name),
    ])
    expect(unsupported.filter((name) => !always.has(name) || byChain.includes(name)).sort()).toEqual(byChain)
  })
})
