import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { createEngineConfig } from '../../src/engine/cometbft/process/config.ts'
import { findProgram } from '../../src/engine/cometbft/process/engineBinary.ts'
import { ensureConfig, ensureEngineHome } from '../../src/engine/cometbft/process/home.ts'
import { plainValues } from '../../src/engine/cometbft/process/ownedKeys.ts'
import { freePort } from '../support/freePort.ts'
import { type AbciAnswer, AbciProxy, writeRedirectedEngine } from './abciProxy.ts'
import { describeNetwork } from './describeNetwork.ts'
import {
  askEngine,
  callHome,
  createHomes,
  HomeProcess,
  type Homes,
  headOf,
  toNumber,
  until,
} from './homeProcess.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

/** How often liars make a snapshot and how often the honest one does: the newest ones are of liars. */
const intervals = { liar: 5, honest: 20 } as const
/** What a node may take to restore, or to say who lied. */
const restoreMs = 120_000

const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const changed = Uint8Array.from(bytes)
  changed[at] = (changed[at] as number) ^ 1
  return changed
}

type ListedSnapshot = Extract<AbciAnswer, { case: 'listSnapshots' }>['value']['snapshots'][number]

/** How a liar changes a snapshot that it offers, and a chunk that it sends. */
interface Forgery {
  readonly about: string
  readonly snapshot: (snapshot: ListedSnapshot) => ListedSnapshot
  readonly chunk: (chunk: Uint8Array) => Uint8Array
}

/** The chunks are forged, and their hashes with them: only the header and the root of the state tell. */
const forgedHashes = (forge: (hashes: Buffer) => void) => (snapshot: ListedSnapshot) => {
  const metadata = Buffer.from(snapshot.metadata)
  forge(metadata.subarray(metadata.length - 32 * snapshot.chunks))
  return { ...snapshot, metadata, hash: keccak256(metadata) }
}

/** Each for itself. */
const different: readonly Forgery[] = [
  {
    about: 'the good snapshots with other chunks',
    snapshot: (snapshot) => snapshot,
    chunk: (chunk) => (chunk.length === 0 ? chunk : flip(chunk, chunk.length - 1)),
  },
  {
    about: 'a block that nobody signed, at a height that is yet to come',
    snapshot: (snapshot) => {
      const metadata = flip(snapshot.metadata, 80)
      return { ...snapshot, height: snapshot.height + 1000n, metadata, hash: keccak256(metadata) }
    },
    chunk: (chunk) => chunk,
  },
  {
    about: 'hashes of chunks that it does not have',
    snapshot: forgedHashes((hashes) => hashes.fill(7)),
    chunk: (chunk) => chunk,
  },
]

/** The last chunk of every snapshot of the three that lie together. */
const junk = Buffer.alloc(1000, 3)

/** Three that offer the same forged snapshots, so that most peers have them, with chunks to match. */
const together: readonly Forgery[] = Array.from({ length: 3 }, () => {
  const lastChunks = new Set<string>()
  return {
    about: 'the same',
    snapshot: forgedHashes((hashes) => {
      const last = hashes.subarray(-32)
      lastChunks.add(last.toString('hex'))
      last.set(keccak256(junk))
    }),
    chunk: (chunk) => (lastChunks.has(Buffer.from(keccak256(chunk)).toString('hex')) ? junk : chunk),
  }
})

const defineLiars = (name: string, forgeries: readonly Forgery[]): void =>
  describeNetwork(`a fifth node joins four of which three forge snapshots, ${name}`, () => {
    let homes: Homes
    let nodes: HomeProcess[]
    const proxies: AbciProxy[] = []
    const transfers = new TransferLoad()

    const honest = (): HomeProcess => nodes[3] as HomeProcess // the last of four

    beforeAll(async () => {
      homes = createHomes(4, 500)
      const program = await findProgram({ path: process.env.PERIHELION_COMETBFT ?? '', notify: () => {} })
      nodes = homes.homes.map((home, index) => {
        const forgery = forgeries[index]
        const interval = intervals[forgery === undefined ? 'honest' : 'liar']
        const args = ['--snapshot.interval', `${interval}`, '--snapshot.keep', '100']
        if (forgery !== undefined) {
          const [socket, file] = [join(homes.folder, `${index}.sock`), join(homes.folder, `engine${index}`)]
          writeRedirectedEngine(file, program, socket)
          proxies.push(
            new AbciProxy(socket, join(home, 'engine', 'app.sock'), (answer) => lie(answer, forgery)),
          )
          args.push('--cometbft', file)
        }
        return new HomeProcess(home, { args })
      })
      await Promise.all(nodes.map((node) => node.ready()))
      for (let index = 0; index < 3; index++) await receiptOf(honest(), await transfers.send(honest()))
    }, 240_000)
    afterAll(async () => {
      for (const proxy of proxies) proxy.close()
      await homes?.remove()
    })

    const lie = (answer: AbciAnswer, { snapshot, chunk }: Forgery): AbciAnswer => {
      if (answer.case === 'listSnapshots')
        return { ...answer, value: { ...answer.value, snapshots: answer.value.snapshots.map(snapshot) } }
      if (answer.case === 'loadSnapshotChunk')
        return { ...answer, value: { ...answer.value, chunk: chunk(answer.value.chunk) } }
      return answer
    }

    const peerOf = async (node: HomeProcess): Promise<string> => {
      const { node_info: info } = await askEngine<{ node_info: { id: string; listen_addr: string } }>(
        node,
        'status',
      )
      return `${info.id}@${info.listen_addr.replace('tcp://', '')}`
    }

    it('restores within two minutes, and says who lied', { timeout: 400_000 }, async () => {
      const folder = join(honest().home, 'data', 'snapshots')
      const made = (): number[] => (existsSync(folder) ? readdirSync(folder).map(Number).filter(Boolean) : [])
      await until('snapshots are there', () => made().length > 0)
      const peers = await Promise.all(nodes.map(peerOf))
      const commit = await askEngine<{
        signed_header: { header: { height: string }; commit: { block_id: { hash: string } } }
      }>(honest(), 'commit')
      const servers = [honest(), honest()].map(({ rpc }) => rpc.replace('http://', ''))
      const home = join(homes.folder, 'synced')
      const config = createEngineConfig({
        ...plainValues,
        moniker: 'synced',
        rpcAddress: `127.0.0.1:${await freePort()}`,
        p2pAddress: `127.0.0.1:${await freePort()}`,
        persistentPeers: peers,
        blockTimeMs: 500,
        isLocal: true,
        stateSync: {
          rpcServers: servers,
          trustHeight: Number(commit.signed_header.header.height),
          trustHash: commit.signed_header.commit.block_id.hash,
          trustPeriod: 604_800_000,
        },
      })
      // So long that all four are connected and asked before it chooses, also on a busy machine.
      const patient = config.replace('discovery_time = "5s"', 'discovery_time = "20s"')
      expect(patient).not.toBe(config)
      ensureConfig(ensureEngineHome(join(home, 'engine')), patient)
      const node = new HomeProcess(home, {
        args: [
          ...['--engine', 'cometbft', '--genesis', homes.genesis],
          ...['--json-rpc.address', '127.0.0.1:0', '--json-rpc.ws-address', ''],
        ],
      })
      await node.ready()
      const startedAt = performance.now()
      await until('it is restored', async () => (await headOf(node)) > 0, restoreMs)
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      const told = node.errors.split('\n').filter((line) => /forged|rejected/.test(line))
      console.log(`restored after ${seconds} s\n${told.join('\n')}`)
      const names = peers.map((peer) => peer.split('@')[0] as string)
      // The last one is honest; one that was asked for nothing has not lied yet.
      expect(names.filter((name) => told.some((line) => line.includes(name)))).not.toContain(names[3])
      expect(told.length).toBeGreaterThan(0)
      const height = await headOf(node)
      expect(await callHome(node, 'eth_getBlockByNumber', toNumber(height), true)).toEqual(
        await callHome(honest(), 'eth_getBlockByNumber', toNumber(height), true),
      )
      const { blockNumber } = await receiptOf(node, await transfers.send(honest()))
      expect(Number(blockNumber)).toBeGreaterThan(height)
    })
  })

defineLiars('each for itself', different)
defineLiars('together', together)
