import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { Database } from '../../../src/base/postgres/database.ts'
import { fleetSchema } from '../../../src/gateway/fleet/schema.ts'
import { eventually } from '../../support/eventually.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../support/postgres.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from '../serve/servedGateway.ts'

let database: PostgresServer
let chain: SyntheticChain
let replay: Replay
const homes: string[] = []
const noLog = { warn: () => undefined, info: () => undefined }
const gateways = new Set<ServedGateway>()

const start = async (...flags: readonly string[]): Promise<ServedGateway> => {
  const home = temporaryHome()
  homes.push(home)
  const gateway = await serveGateway(home, [
    `--gateway.node=${replay.url}`,
    `--gateway.database=${database.url()}`,
    ...flags,
  ])
  gateways.add(gateway)
  await eventually(async () => Number(await gateway.call('eth_blockNumber')) >= chain.head)
  return gateway
}

const stop = async (gateway: ServedGateway): Promise<void> => {
  gateways.delete(gateway)
  await gateway.close()
}

/** Signs as one of the accounts that have coin. */
const sign = (nonce: number, at = 0): Promise<`0x${string}`> => {
  const author = chain.authors[at]
  if (author === undefined) throw new Error('there are not so many')
  const account = privateKeyToAccount(toHex(author.key.secret) as `0x${string}`) // it begins so
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
  return account.signTransaction({
    ...{ chainId: Number(chain.traits.chainId), to: account.address, gas: 60_000n, nonce },
    ...fees,
  })
}

const senderAt = (at = 0): string => toHex(chain.authors[at]?.key.address ?? new Uint8Array())

const grow = async (): Promise<void> => {
  replay.grow(1)
  for (const gateway of gateways)
    await eventually(async () => Number(await gateway.call('eth_blockNumber')) >= chain.head)
}

const isIncluded = (hash: string): boolean => chain.find({ ethereumHash: hash }).length > 0

describe.skipIf(!hasPostgres)(`a fleet of gateways${postgresNote}`, slow, () => {
  beforeEach(async () => {
    database = await PostgresServer.start()
    chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 30, content: 'empty' })
    replay = await startReplay({ chain })
  })

  afterEach(async () => {
    for (const gateway of gateways) await gateway.close()
    gateways.clear()
    await replay.close()
    await database.close()
    for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
  })

  test('a filter is polled at any of them, without a gap or a repeat', async () => {
    const [one, two] = [await start(), await start()]
    const id = await one.call<string>('eth_newBlockFilter')
    const logs = await two.call<string>('eth_newFilter', {})
    const seen: string[] = []
    for (let round = 0; round < 6; round++) {
      await grow()
      seen.push(...(await (round % 2 === 0 ? two : one).call<string[]>('eth_getFilterChanges', id)))
    }
    const blocks = []
    for (let height = 31; height <= 36; height++)
      blocks.push((await one.call<{ hash: string }>('eth_getBlockByNumber', toQuantity(height), false)).hash)
    expect(seen).toEqual(blocks)
    await stop(two)
    // The one that made it is gone.
    expect(await one.call('eth_getFilterChanges', logs)).toEqual(await one.call('eth_getFilterLogs', logs))
    expect(await one.call('eth_uninstallFilter', id)).toBe(true)
    expect((await one.ask('eth_getFilterChanges', [id])).error?.message).toBe('filter not found')
  })

  test('what one of them acknowledged all of them know at once, and send in the order of the sender', async () => {
    const all = [await start(), await start(), await start()] as const
    const pending = await all[1].call<string>('eth_newPendingTransactionFilter')
    const hashes: string[] = []
    // Each to another one, also one before the one that has to come before it.
    for (const nonce of [0, 1, 3, 2, 4, 5]) {
      const gateway = all[nonce % 3] as ServedGateway
      hashes.push(await gateway.call<string>('eth_sendRawTransaction', await sign(nonce)))
      for (const other of all)
        expect(await other.call('eth_getTransactionByHash', hashes.at(-1))).toMatchObject({ blockHash: null })
    }
    for (const gateway of all) {
      expect(await gateway.call('eth_getTransactionCount', senderAt(), 'pending')).toBe('0x6')
      expect(await gateway.call('eth_getRawTransactionByHash', hashes[0])).toBe(await sign(0))
    }
    expect((await all[2].call<string[]>('eth_getFilterChanges', pending)).sort()).toEqual([...hashes].sort())
    expect(await all[0].call('eth_getFilterChanges', pending)).toEqual([])
    await eventually(async () => {
      await grow()
      return hashes.every(isIncluded)
    })
  })

  test('what one of them kept is delivered by another one when its home is gone', async () => {
    const [one, two] = [await start(), await start()]
    const ahead = await one.call<string>('eth_sendRawTransaction', await sign(1))
    await eventually(async () => (await two.call('eth_getTransactionByHash', ahead)) !== null)
    await replay.setFaults({ down: true })
    await eventually(
      async () => (await one.ask('eth_getBalance', [senderAt(1), 'latest'])).error !== undefined,
    )
    // Of an account that nobody can ask for now.
    const unchecked = await one.call<string>('eth_sendRawTransaction', await sign(0, 1))
    expect(await two.call('eth_getTransactionByHash', unchecked)).toMatchObject({ hash: unchecked })
    await stop(one)
    rmSync(homes[0] as string, { recursive: true, force: true })
    await replay.setFaults({})
    const first = await two.call<string>('eth_sendRawTransaction', await sign(0))
    await eventually(async () => {
      await grow()
      return [first, ahead, unchecked].every(isIncluded)
    })
  })

  test('who waits for a receipt is told at once that the gateway ends', async () => {
    const one = await start()
    const raw = await sign(0)
    const waiting = one.ask('eth_sendRawTransactionSync', [raw, 25_000])
    await eventually(async () => (await one.call('eth_getTransactionCount', senderAt(), 'pending')) === '0x1')
    const [told] = await Promise.all([waiting, stop(one)])
    expect(told.error).toMatchObject({
      code: 4,
      message: expect.stringContaining('was added to the pool but is not in a block'),
    })
  })

  test('a gateway that comes back after it was killed is not missed any more', async () => {
    const one = await start()
    const home = homes.at(-1) as string
    const members = async () =>
      ((await (await fetch(`${one.http}/health`)).json()) as { fleet: unknown[] }).fleet.length
    await eventually(async () => (await members()) === 1)
    // What it wrote of itself stays, as after a kill.
    await stop(one)
    writeFileSync(join(home, 'data', 'fleet-member'), 'killed')
    const tables = new Database({ url: database.url(), name: 'test', schema: fleetSchema, log: noLog })
    await tables.run(
      (sql) => sql`
        insert into members (id, name, version, height, trouble, seen_at)
        values ('killed', 'host', '1', 30, null, now()), ('other', 'host', '1', 30, null, now())`,
    )
    const again = await serveGateway(home, [
      `--gateway.node=${replay.url}`,
      `--gateway.database=${database.url()}`,
    ])
    gateways.add(again)
    const ids = await tables.run((sql) => sql<{ id: string }[]>`select id from members order by id`)
    tables.close()
    expect(ids.map(({ id }) => id)).toContain('other')
    expect(ids.map(({ id }) => id)).not.toContain('killed')
    expect(ids).toHaveLength(2)
  })

  test('a subscriber that goes to another gateway loses no block', async () => {
    const gateways = [await start(), await start()] as const
    const heard: number[] = []
    for (let round = 0; round < 4; round++) {
      const socket = new WebSocket(gateways[round % 2]?.service.urls().ws ?? '')
      socket.on('message', (message) => {
        const { params } = JSON.parse(String(message)) as { params?: { result: { number: string } } }
        if (params !== undefined) heard.push(Number(params.result.number))
      })
      await once(socket, 'open')
      const fromBlock = toQuantity(heard.length === 0 ? chain.head + 1 : (heard.at(-1) as number) + 1)
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads', { fromBlock }] }
      socket.send(JSON.stringify(request))
      await once(socket, 'message')
      await grow()
      await grow()
      await eventually(() => heard.at(-1) === chain.head)
      socket.terminate()
      // Nobody listens now.
      await grow()
    }
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, at) => 31 + at))
    expect(heard.at(-1)).toBe(chain.head - 1)
  })

  test('while the database is away all goes on but what has to be kept and polls of filters', async () => {
    const [one, two] = [await start(), await start('--gateway.ready-needs-database')]
    const id = await one.call<string>('eth_newBlockFilter')
    await database.kill()
    await grow()
    const away = { code: -32002, message: expect.stringContaining('the database of the fleet is away') }
    const startedAt = performance.now()
    expect((await one.ask('eth_getFilterChanges', [id])).error).toMatchObject(away)
    expect((await two.ask('eth_newBlockFilter', [])).error).toMatchObject(away)
    // A node takes it.
    const taken = await one.call<string>('eth_sendRawTransaction', await sign(0))
    // It would have to wait here.
    expect((await two.ask('eth_sendRawTransaction', [await sign(5, 1)])).error).toMatchObject(away)
    expect(await two.call('txpool_contentFrom', senderAt(1))).toEqual({ pending: {}, queued: {} })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect(await two.call('eth_getBalance', senderAt(), 'latest')).toMatch(/^0x/)
    expect((await fetch(`${one.http}/ready`)).status).toBe(200)
    const asked = await fetch(`${two.http}/ready`)
    expect([asked.status, await asked.json()]).toMatchObject([
      503,
      { reasons: expect.arrayContaining(['database']) },
    ])
    expect(await (await fetch(`${one.http}/health`)).text()).toContain('the database of the fleet is away')
    await database.begin()
    await eventually(async () => (await one.ask('eth_getFilterChanges', [id])).error === undefined)
    await eventually(async () => !(await (await fetch(`${two.http}/ready`)).text()).includes('database'))
    // What was taken meanwhile is written down.
    await eventually(async () => (await two.call('eth_getTransactionByHash', taken)) !== null)
    await eventually(
      async () => (await two.ask('eth_sendRawTransaction', [await sign(5, 1)])).error === undefined,
    )
    await eventually(async () => (await (await fetch(`${one.http}/health`)).text()).includes('"ok"'))
  })

  test('what was acknowledged stays if it is sent again while the database is away too', async () => {
    const one = await start()
    await replay.setFaults({ down: true })
    await eventually(
      async () => (await one.ask('eth_getBalance', [senderAt(), 'latest'])).error !== undefined,
    )
    const raw = await sign(0)
    const hash = await one.call<string>('eth_sendRawTransaction', raw)
    await database.kill()
    expect(await one.ask('eth_sendRawTransaction', [raw])).toMatchObject({ result: hash })
    expect(await one.call('eth_getTransactionByHash', hash)).toMatchObject({ hash })
    await database.begin()
    await replay.setFaults({})
    await eventually(async () => {
      await grow()
      return isIncluded(hash)
    })
  })

  test('a database that is frozen is away after a bound, and one that is restarted loses nothing', async () => {
    const [one, two] = [await start(), await start()]
    const id = await one.call<string>('eth_newBlockFilter')
    const ahead = await one.call<string>('eth_sendRawTransaction', await sign(1))
    database.freeze()
    await grow()
    expect((await two.ask('eth_getFilterChanges', [id])).error?.code).toBe(-32002)
    const startedAt = performance.now()
    expect((await two.ask('eth_getFilterChanges', [id])).error?.code).toBe(-32002)
    // A call that waited for the database would take 3 s.
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    const first = await two.call<string>('eth_sendRawTransaction', await sign(0))
    database.thaw()
    await database.kill()
    await database.begin()
    const polled: string[] = []
    await eventually(async () => {
      const { result } = await two.ask('eth_getFilterChanges', [id])
      polled.push(...((result as string[] | undefined) ?? []))
      return result !== undefined
    })
    expect(polled).toHaveLength(1)
    await eventually(async () => {
      await grow()
      return [first, ahead].every(isIncluded)
    })
  })

  test('one that is sent twice while it is written down gets one answer, and what is acknowledged stays', async () => {
    const one = await start()
    await replay.setFaults({ down: true })
    await eventually(
      async () => (await one.ask('eth_getBalance', [senderAt(), 'latest'])).error !== undefined,
    )
    const log = { warn: () => undefined, info: () => undefined }
    const holder = new Database({
      ...{ url: database.url(), name: 'test', schema: fleetSchema, timeoutMs: 60_000, log },
    })
    let release = (): void => undefined
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    let onHeld = (): void => undefined
    const isHeld = new Promise<void>((resolve) => {
      onHeld = resolve
    })
    // No statement that writes one down gets on, until the server ends it.
    const holding = holder.transaction(async (sql) => {
      await sql`select changes from fleet where id = 1 for update`
      onHeld()
      await isReleased
    })
    await isHeld
    const raw = await sign(0)
    const first = one.ask('eth_sendRawTransaction', [raw])
    await eventually(async () => {
      const [row] = await holder.run(
        (sql) => sql<{ n: number }[]>`select count(*)::int as n from pg_locks where not granted`,
      )
      return (row?.n ?? 0) > 0
    })
    const second = one.ask('eth_sendRawTransaction', [raw])
    expect((await first).error?.code).toBe(-32002)
    release()
    await holding
    holder.close()
    const hash = (await second).result ?? (await one.call<string>('eth_sendRawTransaction', raw))
    expect(await one.call('eth_getTransactionByHash', hash)).toMatchObject({ hash })
    await replay.setFaults({})
    await eventually(async () => {
      await grow()
      return isIncluded(hash as string)
    })
  })

  test('a gateway that starts while the database is away joins when it is there', async () => {
    await database.kill()
    const one = await start()
    expect((await one.ask('eth_newBlockFilter', [])).error?.code).toBe(-32002)
    await database.begin()
    await eventually(async () => (await one.ask('eth_newBlockFilter', [])).error === undefined)
  })

  test('members tell of each other, and one in front of another chain is refused', async () => {
    const one = await start()
    const two = await start()
    await eventually(async () => {
      const metrics = await (await fetch(`${one.http}/metrics`)).text()
      return [...metrics.matchAll(/^perihelion_gateway_member_height\{.*\} 30$/gm)].length === 2
    })
    const member = {
      height: 30,
      unseenSeconds: expect.any(Number),
      hasTrouble: false,
      name: expect.any(String),
    }
    expect(await (await fetch(`${one.http}/health`)).json()).toMatchObject({ fleet: [member, member] })
    await stop(two)
    const others = { family: 'cosmos-evm-0.7', nativeChainId: 'others-1', content: 'empty' } as const
    const other = await startReplay({ chain: new SyntheticChain({ ...others, length: 5 }) })
    const home = temporaryHome()
    homes.push(home)
    const flags = [`--gateway.node=${other.url}`, `--gateway.database=${database.url()}`]
    await expect(serveGateway(home, flags)).rejects.toThrow(/gateway.database: it is of a fleet in front of/)
    await other.close()
  })
})

const toQuantity = (number: number): string => `0x${number.toString(16)}`
