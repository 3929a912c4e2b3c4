import { toHex } from '../../../src/base/encoding/hex.ts'
import { parseAbciQuery } from '../../../src/comet/data/abciQuery.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { cosmosStateRules } from '../../../src/light/state/cosmosState.ts'
import { ics23Proofs } from '../../../src/light/state/ics23Proofs.ts'
import type { AskedState } from '../../../src/light/state/judgement.ts'
import { type ProvingNode, StateProofs } from '../../../src/light/state/stateProofs.ts'
import { createRandom } from '../../support/random.ts'
import { keccak } from '../replay/block/signing.ts'
import { Multistore } from '../replay/stores/multistore.ts'
import { any, join, text, uint } from '../replay/wire.ts'

const count = 20_000
const height = 1_000_000
const rounds = 3_000

const key = (prefix: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  join(Uint8Array.of(prefix), ...parts)

/** Measures the CPU time of a proven answer beside that of its query: replies are parsed, and proofs verified. */
export const measureStates = async (
  cpuMs: (work: () => Promise<void>) => Promise<number>,
): Promise<readonly string[]> => {
  const random = createRandom(3)
  const addresses = Array.from({ length: count }, () => random.bytes(20))
  const code = random.bytes(100)
  const stores = new Multistore(
    {
      acc: addresses.map((address) => ({
        key: key(1, address),
        value: any('/cosmos.auth.v1beta1.BaseAccount', join(text(1, `cosmos1${'q'.repeat(38)}`), uint(4, 5))),
      })),
      bank: addresses.map((address) => ({
        key: key(2, Uint8Array.of(20), address, Buffer.from('atest')),
        value: Buffer.from('1000000000000000000'),
      })),
      evm: addresses.flatMap((address) => [
        { key: key(2, address, new Uint8Array(32)), value: new Uint8Array(32).fill(7) },
        { key: key(4, address), value: keccak(code) },
      ]),
      ...Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [`module${at}`, [{ key: key(1), value: key(2) }]]),
      ),
    },
    height,
  )
  const proofs = new StateProofs({
    rules: cosmosStateRules({ evmPackage: 'cosmos.evm.vm.v1', feeDenom: 'atest', decimals: 18 }),
    kind: ics23Proofs,
    highest: () => height,
    committed: () => ({ appHash: stores.appHash, hash: undefined }),
    log: createThreadLog(() => undefined),
  })
  const asked = addresses.slice(0, 50)
  const replies = new Map<string, string>()
  const nameOf = (store: string, wanted: Uint8Array): string => `${store} ${toHex(wanted)}`
  const node = {
    name: 'node',
    prove: async (store: string, wanted: Uint8Array) => {
      const name = nameOf(store, wanted)
      let reply = replies.get(name)
      if (reply === undefined) {
        const { value, proof } = stores.answer(store, wanted) ?? { value: new Uint8Array(0), proof: 'null' }
        const told = Buffer.from(value).toString('base64')
        reply = `{"response":{"code":0,"value":"${told}","proofOps":${proof},"height":"${height}"}}`
        replies.set(name, reply)
      }
      return parseAbciQuery(JSON.parse(reply), height)
    },
    signedHeader: () => Promise.reject(new Error('nobody lies here')),
  }
  const answers = {
    Balance: text(1, '1000000000000000000'),
    Account: join(text(1, '1000000000000000000'), text(2, toHex(keccak(code))), uint(3, 5)),
    Code: join(Uint8Array.of(0x0a, code.length), code),
    Storage: text(1, toHex(new Uint8Array(32).fill(7))),
  }
  const asks = Object.entries(answers).map(([query, answer]) => ({
    name: query,
    asked: asked.map((address) => ({
      path: `/cosmos.evm.vm.v1.Query/${query}`,
      request: join(
        text(1, toHex(address)),
        ...(query === 'Storage' ? [text(2, `0x${'0'.repeat(64)}`)] : []),
      ),
      height,
    })),
    answer,
  }))
  return measureAsks(cpuMs, proofs, node, asks)
}

interface Asks {
  readonly name: string
  readonly asked: readonly AskedState[]
  readonly answer: Uint8Array
}

/** Measures answers that are proven, one kind after the other. */
export const measureAsks = async (
  cpuMs: (work: () => Promise<void>) => Promise<number>,
  proofs: StateProofs,
  node: ProvingNode,
  asks: readonly Asks[],
): Promise<readonly string[]> => {
  const lines: string[] = []
  for (const { name, asked, answer } of asks) {
    const run = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at++)
        await proofs.check(asked[at % asked.length] as AskedState, node, Promise.resolve(answer))
    }
    await run(rounds)
    const before = proofs.counts().get('proven') ?? 0
    const ms = await cpuMs(() => run(rounds))
    if ((proofs.counts().get('proven') ?? 0) !== before + rounds) throw new Error('not all were proven')
    lines.push(`${name}: ${(ms / rounds).toFixed(3)} ms for a proven answer, beside its query`)
  }
  return lines
}
