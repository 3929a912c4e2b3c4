import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeNetwork } from '../../network/describeNetwork.ts'
import { Wallet } from '../../network/ledger.ts'
import { call } from '../../network/rpcHelpers.ts'
import { type Network, startNetwork } from '../../network/testnet.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../support/postgres.ts'
import { findProxy } from '../../support/programs/proxyProcess.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { Balancer } from './balancer.ts'
import { Door } from './door.ts'
import { GatewayProcess } from './gatewayProcess.ts'

const gatewayCount = 3

interface Receipt {
  readonly transactionHash: string
  readonly blockNumber: string
}

/** Asks until there is a result; errors that say that something is away for the moment are asked again. */
const insist = async <T>(work: () => Promise<T | null>): Promise<T> => {
  for (let round = 0; ; round++) {
    try {
      const found = await work()
      if (found !== null) return found
    } catch (error) {
      if (!/-32002/.test((error as Error).message)) throw error
    }
    if (round > 1_000) throw new Error('it does not happen')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const name = `a fleet of three behind a balancer without stickiness${postgresNote}`
const describeFleet = hasPostgres ? describeNetwork : describe.skip

describeFleet(name, slow, () => {
  let network: Network
  let database: PostgresServer | undefined
  let doors: Door[] = []
  let gateways: GatewayProcess[] = []
  const homes = Array.from({ length: gatewayCount }, () => temporaryHome())
  const wallets = [2, 3, 4, 5].map((index) => new Wallet(index))

  beforeAll(async () => {
    network = await startNetwork(4)
    doors = await Promise.all(homes.map(() => new Door().open()))
    database = await PostgresServer.start()
    const url = database.url()
    gateways = doors.map(
      (door, index) =>
        new GatewayProcess(door, homes[index] as string, [
          ...network.nodes.map(({ rpc }) => `--node=${rpc}`),
          `--gateway.database=${url}`,
        ]),
    )
    await Promise.all(gateways.map((gateway) => gateway.start()))
  })

  afterAll(async () => {
    for (const gateway of gateways) await gateway.close()
    for (const door of doors) await door.close()
    await network?.stop()
    await database?.close()
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  })

  for (const [kind, walletsOf] of [
    ['haproxy', [0, 1]],
    ['nginx', [2, 3]],
  ] as const) {
    const program = findProxy(kind)
    const name = `${kind}: filters, sends, nonces and reads are those of one server, also while a gateway is killed`
    if (program === undefined) {
      test.skip(`${name} (${kind} is not installed)`, () => {})
      continue
    }
    test(name, async () => {
      const ports = doors.map(({ port }) => port)
      const balancer = await new Balancer(kind, program, ports).ready()
      try {
        const filters = await Promise.all(
          Array.from({ length: gatewayCount }, () => balancer.call<string>('eth_newBlockFilter')),
        )
        const told = new Map(filters.map((id) => [id, [] as string[]]))
        const poll = async (): Promise<void> => {
          for (const [id, hashes] of told)
            hashes.push(...(await balancer.call<string[]>('eth_getFilterChanges', id)))
        }
        const sequential = wallets[walletsOf[0]] as Wallet
        const shuffled = wallets[walletsOf[1]] as Wallet
        const sent: string[] = []
        for (let round = 0; round < 8; round++) {
          // A gateway is killed in the middle, another one behind the other balancer; it comes back with its home.
          const victim = gateways[kind === 'haproxy' ? 0 : 1] as GatewayProcess
          if (round === 3) await victim.kill()
          const pending = await insist(() =>
            balancer.call<string>('eth_getTransactionCount', sequential.account.address, 'pending'),
          )
          expect([round, Number(pending)]).toEqual([round, sequential.nonce])
          const raw = await sequential.sign()
          const { result, error, height } = await balancer.ask('eth_sendRawTransaction', [raw])
          expect(error).toBeUndefined()
          const hash = result as string
          sent.push(hash)
          expect(await insist(() => balancer.call('eth_getTransactionByHash', hash))).toMatchObject({ hash })
          const receipt = await insist(() => balancer.call<Receipt | null>('eth_getTransactionReceipt', hash))
          // Who has seen the receipt sees it everywhere, and no older block.
          const seen = String(Math.max(height, Number(receipt.blockNumber)))
          for (let read = 0; read < 2 * gatewayCount; read++) {
            const again = await insist(async () => {
              const answer = await balancer.ask('eth_getTransactionReceipt', [hash], {
                'x-perihelion-min-height': seen,
              })
              if (answer.error?.code === -32002) return null
              expect(answer.height).toBeGreaterThanOrEqual(Number(seen))
              return answer
            })
            expect(again.result).toEqual(receipt)
          }
          await poll()
          if (round === 5) await victim.start()
        }
        const raws = await Promise.all(Array.from({ length: 16 }, () => shuffled.sign()))
        const hashes = await Promise.all(
          raws.toReversed().map((raw) => balancer.call<string>('eth_sendRawTransaction', raw)),
        )
        sent.push(...hashes)
        const receipts = await Promise.all(
          sent.map((hash) => insist(() => balancer.call<Receipt | null>('eth_getTransactionReceipt', hash))),
        )
        expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(sent)
        await poll()
        const node = network.nodes[0] as Network['nodes'][number]
        for (const reported of told.values()) {
          const blocks = await Promise.all(
            reported.map((hash) => call<{ number: string } | null>(node, 'eth_getBlockByHash', hash, false)),
          )
          const numbers = blocks.map((block) => Number(block?.number))
          const first = numbers[0] as number
          expect(numbers).toEqual(numbers.map((_, index) => first + index))
          expect(Number(receipts.at(-1)?.blockNumber)).toBeLessThanOrEqual(numbers.at(-1) as number)
        }
        // Each nonce is used once.
        for (const wallet of [sequential, shuffled])
          expect(Number(await call(node, 'eth_getTransactionCount', wallet.account.address, 'latest'))).toBe(
            wallet.nonce,
          )
      } finally {
        await balancer.close()
      }
    })
  }
})
