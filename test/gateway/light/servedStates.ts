import { rmSync } from 'node:fs'
import { afterEach, expect } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { ReplayFamily } from '../replay/families.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from '../serve/servedGateway.ts'

/** Gateways that prove states, in front of nodes of chains that are made up. Each is closed after its test. */

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export const length = 20

export const chainOf = (family: ReplayFamily, hasProofs = true): SyntheticChain =>
  new SyntheticChain({ family, length, seed: 9, hasProofs })

export const startNode = async (chain: SyntheticChain): Promise<Replay> => {
  const replay = await startReplay({ chain })
  closers.push(() => replay.close())
  return replay
}

export interface Served extends ServedGateway {
  readonly home: string
}

export const serve = async (
  nodes: readonly Replay[],
  flags: readonly string[] = [],
  head = length,
): Promise<Served> => {
  const home = temporaryHome()
  const gateway = await serveGateway(home, [
    `--gateway.node=${nodes.map(({ url }) => url).join(',')}`,
    ...(flags.some((flag) => flag.startsWith('--gateway.verify-state'))
      ? []
      : ['--gateway.verify-state=true']),
    ...flags,
  ])
  closers.push(async () => {
    await gateway.close()
    rmSync(home, { recursive: true, force: true })
  })
  await eventually(async () => Number(await gateway.call('eth_blockNumber')) >= head)
  return Object.assign(gateway, { home })
}

export const outcomes = async ({ http }: Served): Promise<Readonly<Record<string, number>>> => {
  const shown = await (await fetch(`${http}/metrics`)).text()
  return Object.fromEntries(
    [...shown.matchAll(/perihelion_gateway_state_answers_total\{outcome="([a-z ]+)"\} (\d+)/g)].map(
      ([, outcome, count]) => [outcome, Number(count)],
    ),
  )
}

export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

/** Asks everything about an account at a height, and compares it with the chain's own state. */
export const compare = async (
  gateway: Served,
  chain: SyntheticChain,
  address: Uint8Array,
  height: number,
) => {
  const at = [toHex(address), quantity(height)]
  const { nonce, balance } = chain.world.account(address, height)
  expect(await gateway.call('eth_getBalance', ...at)).toBe(quantity(balance))
  expect(await gateway.call('eth_getTransactionCount', ...at)).toBe(quantity(nonce))
  expect(await gateway.call('eth_getCode', ...at)).toBe(toHex(chain.world.code(address, height)))
  const slot = chain.world.slot(address, new Uint8Array(32), height)
  expect(await gateway.call('eth_getStorageAt', toHex(address), '0x0', quantity(height))).toBe(toHex(slot))
  const proof = await gateway.call<{ balance: string; storageProof: { value: string }[] }>(
    'eth_getProof',
    toHex(address),
    ['0x0'],
    quantity(height),
  )
  expect(proof.balance).toBe(quantity(balance))
}
