import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { SyntheticChain } from '../../test/gateway/replay/synthetic.ts'
import { call, connect } from '../support/load/connection.ts'
import { percentile } from '../support/load/percentile.ts'
import type { Measured } from '../support/run/part.ts'
import type { RunningGateway } from './runningGateway.ts'

/** Flags with which a gateway keeps all of them. */
export const keepingFlags = ['account-queue', 'global-queue'].map((name) => `--txpool.${name}=1000000`)

/** Makes transactions of the accounts of the replayed chain, none of which can be in a block. */
export class KeptSends {
  readonly #chain = new SyntheticChain({ family: 'cosmos-evm-0.7' })
  /** Far ahead of what any of the accounts has sent: all must be kept. */
  #nonce = 1_000

  /** Signs so many for each account, with nonces that were not used before. */
  async sign(each: number): Promise<readonly string[]> {
    const { authors, traits } = this.#chain
    const to = toHex(this.#chain.noise('contract').subarray(0, 20)) as `0x${string}` // it begins so
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
    const first = this.#nonce
    this.#nonce += each
    const signing = Array.from({ length: each }, (_, at) =>
      authors.map(({ key }) =>
        privateKeyToAccount(toHex(key.secret) as `0x${string}`) // it begins so
          .signTransaction({ chainId: Number(traits.chainId), nonce: first + at, to, gas: 60_000n, ...fees }),
      ),
    )
    return Promise.all(signing.flat())
  }
}

/** Sends transactions that must be kept, from so many connections at once. */
export const measureKeptSends = async (
  { port }: RunningGateway,
  raws: readonly string[],
  { connections, cpuMs }: { readonly connections: number; readonly cpuMs: () => number },
): Promise<Measured> => {
  const waiting = [...raws]
  const times: number[] = []
  const work = async (): Promise<void> => {
    const connection = await connect(port)
    for (let raw = waiting.pop(); raw !== undefined; raw = waiting.pop()) {
      const start = performance.now()
      await call(connection, 'eth_sendRawTransaction', raw)
      times.push(performance.now() - start)
    }
    connection.close()
  }
  const before = cpuMs()
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, work))
  const seconds = (performance.now() - start) / 1_000
  const sorted = times.toSorted((one, other) => one - other)
  return {
    figures: {
      rate: raws.length / seconds,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      cpuMicros: ((cpuMs() - before) * 1_000) / raws.length,
    },
  }
}
