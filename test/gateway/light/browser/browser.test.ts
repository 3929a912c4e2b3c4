import { webcrypto } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'
import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { beforeAll, describe, expect, test } from 'vitest'
import { toHex } from '../../../../src/base/encoding/hex.ts'
import { browserNote, hasChromium, startBrowser } from '../../../explorer/browser.ts'
import { createRandom } from '../../../support/random.ts'
import { readLines } from '../fixtures.ts'
import { bundleLight, globalName } from './bundle.ts'
import type { Recordings, TrieCase } from './entry.ts'

/** The light client outside of Node.js, with what real nodes said. */

const value = '0x2a'

const trieCase = async (): Promise<TrieCase> => {
  const random = createRandom(42)
  const trie = await createMPT()
  const path = random.bytes(32)
  for (let at = 0; at < 20; at++) await trie.put(random.bytes(32), random.bytes(40))
  await trie.put(path, Uint8Array.of(0x2a))
  const nodes = await createMerkleProof(trie, path)
  return { root: toHex(trie.root()), path: toHex(path), nodes: nodes.map(toHex) }
}

let code: string
let recordings: Recordings

beforeAll(async () => {
  code = (await bundleLight()).code
  recordings = {
    network: readLines('network.jsonl.gz'),
    states: readLines('states.jsonl.gz'),
    verdicts: readLines('verdicts.jsonl.gz'),
    trie: await trieCase(),
  }
})

const expected = {
  followed: { height: 21, forged: 'UpstreamError other header' },
  reached: { vote: 'UpstreamError bad signature', header: 'UpstreamError other header' },
  states: { proven: 20, forged: 'UpstreamError forged state' },
  trie: { value, forged: 'ProofError' },
  differingVerdicts: [],
}

/** The call of a page. */
const proving = (given: Recordings): string =>
  `${globalName}.proveRecordings(${JSON.stringify(JSON.stringify(given))})`

/** Noble takes milliseconds for a signature, and it decides of each that is not valid. */
const some = (each: number): Recordings => ({
  ...recordings,
  verdicts: recordings.verdicts.filter((_, at) => at % each === 0),
})

/** A global object with what browsers have and the language has not, and with nothing of Node.js. */
const inVm = (globals: object) => {
  const context = createContext({ TextEncoder, TextDecoder, URL, atob, btoa, ...globals })
  runInContext(code, context)
  return (given: Recordings): Promise<string> => runInContext(proving(given), context)
}

describe('the light client in a bundle for browsers', () => {
  test('has not become large', () => {
    // Its size for a page; most of it are noble's curves and hashes, and @bufbuild/protobuf.
    expect(code.length).toBeLessThan(200_000)
  })

  test('proves and refuses with signatures checked by WebCrypto', async () => {
    const prove = inVm({ crypto: webcrypto })
    expect(JSON.parse(await prove(some(3)))).toEqual({ hasWebCrypto: true, ...expected })
  })

  test('proves and refuses without WebCrypto, as on a page that is not secure', async () => {
    const prove = inVm({})
    expect(JSON.parse(await prove(some(8)))).toEqual({ hasWebCrypto: false, ...expected })
  })
})

describe.skipIf(!hasChromium)(`the light client in Chromium${browserNote}`, () => {
  test('proves and refuses what it does in Node.js', async () => {
    const browser = await startBrowser()
    try {
      const page = await browser.newPage()
      // A page of this machine is secure, and so has WebCrypto.
      const address = 'http://localhost/'
      await page.route(address, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<title>light</title>' }),
      )
      await page.goto(address)
      await page.addScriptTag({ content: code })
      const proven = await page.evaluate<string>(proving(recordings))
      expect(JSON.parse(proven)).toEqual({ hasWebCrypto: true, ...expected })
    } finally {
      await browser.close()
    }
  })
})
