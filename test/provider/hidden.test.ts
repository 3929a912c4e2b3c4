import { expect, test } from 'vitest'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { createLightProvider, type Lie } from '../../src/provider/index.ts'
import { SyntheticChain } from './syntheticChain.ts'

const heights = 200
const chain = new SyntheticChain({
  heights,
  from: Math.floor(Date.now() / 1_000) - heights,
  interval: 1,
  rotation: { every: 1_000, changes: 0 },
})
const serve = chain.fetchAt(() => heights)
const wanted = chain.ethereum(50)
const hash = toHex(keccak256(wanted))

/** A provider whose first endpoint answers questions for a header with this, and whose second one is honest. */
const openBeside = (said: object): { readonly lies: Lie[]; readonly ask: () => Promise<unknown> } => {
  const honest = { result: { nodes: [], codes: [], headers: [toHex(wanted)], block: null, receipts: null } }
  const provider = createLightProvider({
    urls: ['http://one.example', 'http://two.example'],
    trust: { height: 1, hash: chain.hashAt(1) },
    fetch: async (url, init) => {
      if (JSON.parse(String(init.body)).method !== 'perihelion_proofs') return serve(url, init)
      return new Response(JSON.stringify(url.includes('one') ? said : honest))
    },
  })
  const lies: Lie[] = []
  provider.on('lie', (lie) => lies.push(lie))
  return { lies, ask: () => provider.request({ method: 'eth_getHeaderByHash', params: [hash] }) }
}

test('no single endpoint can hide a block', async () => {
  const none = openBeside({ result: { headers: [] } })
  expect(await none.ask()).toMatchObject({ hash })
  const refused = openBeside({ error: { code: -32_000, message: 'header not found' } })
  expect(await refused.ask()).toMatchObject({ hash })
  expect([...none.lies, ...refused.lies]).toEqual([])
})

test('another header for a hash is a lie', async () => {
  const { lies, ask } = openBeside({ result: { headers: [toHex(chain.ethereum(51))] } })
  expect(await ask()).toMatchObject({ hash })
  expect(lies).toMatchObject([{ problem: `it gives another header for the hash ${hash}` }])
})
