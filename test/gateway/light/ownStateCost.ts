import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { decodeHeader } from '../../../src/chain/block/header.ts'
import { parseAbciQuery } from '../../../src/comet/data/abciQuery.ts'
import { perihelionStateRules } from '../../../src/families/perihelion/trieRules.ts'
import { trieProofs } from '../../../src/families/perihelion.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { StateProofs } from '../../../src/light/state/stateProofs.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { createRandom } from '../../support/random.ts'
import { encodeHeader } from '../replay/block/ethereumHeader.ts'
import { compact, keccak } from '../replay/block/signing.ts'
import { emptyRoot } from '../replay/block/trie.ts'
import { leafOf, trieOpsJson } from '../replay/stores/worldTries.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { blob, join, nested, uint } from '../replay/wire.ts'
import { measureAsks } from './stateCost.ts'

const count = 20_000
const slots = 16
const height = 1_000

/** Measures the same of a chain of our own, with proofs by its store. */
export const measureOwnStates = async (
  cpuMs: (work: () => Promise<void>) => Promise<number>,
): Promise<readonly string[]> => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'perihelion-cost-'))
  const environment = new LmdbEnvironment({
    path: joinPath(folder, 'state.mdb'),
    minFreeBytes: 0,
    isDurable: false,
  })
  try {
    const random = createRandom(3)
    const addresses = Array.from({ length: count }, () => random.bytes(20))
    const asked = addresses.slice(0, 50)
    const code = random.bytes(100)
    const word = new Uint8Array(32).fill(7)
    const account = { nonce: 5n, balance: 10n ** 18n, codeHash: keccak(code) }
    const store = new StateStore(environment)
    const { root: stateRoot } = await store.commit(height, {
      code: [[account.codeHash, code]],
      accounts: addresses.map((address) => ({
        address,
        account,
        storageCleared: false,
        storage: Array.from({ length: slots }, (_, at) => [new Uint8Array(32).with(31, at), word] as const),
      })),
    })
    const reader = store.reader(height)
    const slot = new Uint8Array(32)
    const { genesis } = new SyntheticChain({ family: 'perihelion' })
    const header = encodeHeader({ ...genesis, stateRoot, number: BigInt(height) })
    const first = reader.getProof(asked[0] as Uint8Array, [slot])
    const told = { ...account, storageRoot: first.account?.storageRoot ?? emptyRoot }
    const replies = new Map<string, string>()
    const replyOf = (store: string, key: Uint8Array): string => {
      const address = key.subarray(1, 21)
      const { proof, storage } = reader.getProof(address, [slot])
      const ops = trieOpsJson(
        store === 'acc' ? undefined : [slot, storage[0]?.proof ?? []],
        [address, proof],
        header,
      )
      const value = Buffer.from(store === 'acc' ? leafOf(told) : word).toString('base64')
      return `{"response":{"code":0,"value":"${value}","proofOps":${ops},"height":"${height}"}}`
    }
    const node = {
      name: 'node',
      prove: async (store: string, key: Uint8Array) => {
        const name = `${store} ${toHex(key)}`
        const reply = replies.get(name) ?? replyOf(store, key)
        replies.set(name, reply)
        return parseAbciQuery(JSON.parse(reply), height)
      },
      signedHeader: () => Promise.reject(new Error('nobody lies here')),
    }
    const proofs = new StateProofs({
      rules: perihelionStateRules({ header: () => decodeHeader(header) }),
      kind: trieProofs,
      highest: () => height,
      committed: () => ({ appHash: keccak(header), hash: undefined }),
      log: createThreadLog(() => undefined),
    })
    const accountMessage = join(
      uint(1, told.nonce),
      blob(2, compact(told.balance)),
      blob(3, told.codeHash),
      blob(4, told.storageRoot),
    )
    const answers = {
      Account: nested(1, accountMessage),
      Code: blob(1, code),
      Storage: blob(1, word),
    }
    return await measureAsks(
      cpuMs,
      proofs,
      node,
      Object.entries(answers).map(([query, response]) => ({
        name: query,
        asked: asked.map((address) => ({
          path: `/perihelion.v1.Query/${query}`,
          request: join(
            nested(1, uint(1, height)),
            blob(2, address),
            ...(query === 'Storage' ? [blob(3, slot)] : []),
          ),
          height,
        })),
        answer: nested(1, response),
      })),
    )
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
}
