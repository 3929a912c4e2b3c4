import { readFileSync } from 'node:fs'
import { type Abi, encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toHex, toQuantity } from '../../src/base/encoding/hex.ts'
import { slow } from '../support/slow.ts'
import { Agreement } from './agreement.ts'
import { describeNetwork } from './describeNetwork.ts'
import { type JoinedNode, joinNetwork } from './joining.ts'
import { Wallet } from './ledger.ts'
import { askEngine, call, heightOf, receiptOf, waitForHeight } from './rpcHelpers.ts'
import { type Network, type NetworkNode, startNetwork } from './testnet.ts'

const { address, abi } = JSON.parse(
  readFileSync(new URL('../../docs/validatorSet.json', import.meta.url), 'utf8'),
) as { readonly address: `0x${string}`; readonly abi: Abi }

interface Listed {
  readonly pubkey: string
  readonly cometbftAddress: string
  readonly power: string
  readonly reward: string
}

interface EngineSet {
  readonly validators: readonly {
    readonly address: string
    readonly pub_key: { readonly value: string }
    readonly voting_power: string
  }[]
}

/** What the engine has at a height, in the words of `perihelion_validators`. */
const engineSet = async (node: NetworkNode, height: number) => {
  const { validators } = await askEngine<EngineSet>(node, 'validators', {
    height: `${height}`,
    per_page: '100',
  })
  return validators.map(({ address: name, pub_key: key, voting_power: power }) => ({
    pubkey: toHex(Buffer.from(key.value, 'base64')),
    cometbftAddress: `0x${name.toLowerCase()}`,
    power: toQuantity(Number(power)),
  }))
}

describeNetwork('a network whose validators change by transactions', slow, () => {
  let network: Network
  let fifth: JoinedNode
  const admin = new Wallet(0)
  const mallory = new Wallet(1)
  const fifthReward = `0x${'55'.repeat(20)}` as const

  beforeAll(async () => {
    network = await startNetwork(4)
    fifth = await joinNetwork(network, fifthReward)
  })
  afterAll(async () => network?.stop())

  const all = (): readonly NetworkNode[] => [...network.nodes, fifth.node]
  const first = (): NetworkNode => network.nodes[0] as NetworkNode

  /** Sends a call to the contract and gives the height of its block. */
  const change = async (wallet: Wallet, functionName: string, ...args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args })
    const raw = await wallet.sign({ to: address, data, gas: 300_000n })
    const receipt = await receiptOf(first(), await call(first(), 'eth_sendRawTransaction', raw))
    return { height: Number(receipt.blockNumber), status: receipt.status }
  }

  let compared = 0

  /** Ours and the engines' sets, at every height that was not looked at before. */
  const expectSameSets = async (newest: number): Promise<void> => {
    for (; compared < newest; compared++) {
      const height = compared + 1
      await Promise.all(
        all().map(async (node) => {
          await waitForHeight(node, height)
          const listed = await call<readonly Listed[]>(node, 'perihelion_validators', toQuantity(height))
          const own = listed.map(({ reward: _, ...rest }) => rest)
          expect(own, `height ${height}`).toEqual(await engineSet(node, height))
        }),
      )
    }
  }

  const setAt = (height: number): Promise<readonly Listed[]> =>
    call(first(), 'perihelion_validators', toQuantity(height))

  it('adds a fifth, which votes and proposes', async () => {
    const pubkey = toHex(fifth.publicKey)
    expect(await change(mallory, 'add', pubkey, 10n, fifthReward)).toMatchObject({ status: '0x0' })
    const { height, status } = await change(admin, 'add', pubkey, 10n, fifthReward)
    expect(status).toBe('0x1')
    await expectSameSets(height + 3)
    expect(await setAt(height + 1)).toHaveLength(4)
    expect(await setAt(height + 2)).toHaveLength(5)
    expect(await call(first(), 'clique_getSigners', toQuantity(height + 2))).toContain(fifthReward)
    const miners = new Set<string>()
    for (let number = height + 2; !miners.has(fifthReward); number++) {
      await waitForHeight(first(), number)
      const block = await call<{ miner: string }>(first(), 'eth_getBlockByNumber', toQuantity(number), false)
      miners.add(block.miner)
    }
  })

  it('changes a power and moves a reward', async () => {
    const [some] = await setAt(1)
    const { height } = await change(admin, 'setPower', some?.pubkey, 13n)
    await change(admin, 'setReward', some?.pubkey, `0x${'77'.repeat(20)}`)
    await expectSameSets(height + 6)
    expect((await setAt(height + 6))[0]).toEqual({
      ...some,
      power: '0xd',
      reward: `0x${'77'.repeat(20)}`,
    })
  })

  it('removes one, and the others go on', async () => {
    const last = (await setAt(1)).at(-1)
    const { height, status } = await change(admin, 'remove', last?.pubkey)
    expect(status).toBe('0x1')
    await expectSameSets(height + 4)
    expect((await setAt(height + 2)).map(({ pubkey }) => pubkey)).not.toContain(last?.pubkey)
    // What it was then is still told.
    expect((await setAt(height + 1)).map(({ pubkey }) => pubkey)).toContain(last?.pubkey)
    await waitForHeight(first(), (await heightOf(first())) + 5)
    await new Agreement(all()).check()
  })
})
