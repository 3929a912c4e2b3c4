import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import type { HeadUpdate } from '../../../src/gateway/follow/blockWriter.ts'
import type { UntakenBlock } from '../../../src/gateway/follow/followOptions.ts'
import {
  createFollowService,
  type FollowerOptions,
  type FollowService,
} from '../../../src/gateway/follow/followService.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import type { Lie } from '../../../src/gateway/trust/lieLog.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../../src/store/check/storeCheck.ts'
import { eventually } from '../../support/eventually.ts'
import { toChainInfo } from '../families/replayChainInfo.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
import { type Replay, type ReplayOptions, startReplay } from '../replay/server/server.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'

/** A follower in this thread, with what it says. */
export interface Following {
  readonly service: FollowService
  readonly heads: readonly HeadUpdate[]
  readonly logs: readonly string[]
  readonly quarantined: readonly string[]
  readonly failures: readonly Error[]
  readonly lies: readonly Lie[]
  /** The heights that were told to be those of the chain. */
  readonly targets: readonly number[]
  /** Blocks that could not be taken, and undefined where one was taken at last. */
  readonly untaken: readonly (UntakenBlock | undefined)[]
  /** Until the head has this number, or it takes too long. */
  until(number: number, timeoutMs?: number): Promise<void>
  close(): Promise<void>
}

export const dataFolder = (): { readonly path: string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-follow-'))
  return { path: join(folder, 'chain.mdb'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** What a test opens, closed after it in the reverse order. */
export class Opened {
  readonly #open: { close(): Promise<void> | void }[] = []

  async serve(options: ReplayOptions): Promise<Replay> {
    const replay = await startReplay(options)
    this.#open.push(replay)
    return replay
  }

  /** The path of a store in a folder of its own. */
  folder(): string {
    const { path, remove } = dataFolder()
    this.#open.push({ close: remove })
    return path
  }

  async follow(...args: Parameters<typeof follow>): Promise<Following> {
    const following = await follow(...args)
    this.#open.push(following)
    return following
  }

  /** Anything else that is to be closed. */
  add(one: { close(): Promise<void> | void }): void {
    this.#open.push(one)
  }

  async closeAll(): Promise<void> {
    for (const one of this.#open.splice(0).reverse()) await one.close()
  }
}

export const addressOf = ({
  url,
  grpcAddress,
}: Replay): { readonly node: string; readonly grpc: string } => ({
  node: url,
  grpc: grpcAddress,
})

/** Makes a node claim a height, as if its chain were so long. */
export const claiming =
  (height: number): NonNullable<Faults['alter']> =>
  (method, result) => {
    if (method !== 'status') return result
    const { sync_info: sync } = result as { sync_info: { latest_block_height: string } }
    sync.latest_block_height = String(height)
    return result
  }

export const follow = async (
  chain: SyntheticChain,
  replays: readonly Replay[],
  options: { readonly path: string } & Partial<FollowerOptions>,
): Promise<Following> => {
  const heads: HeadUpdate[] = []
  const logs: string[] = []
  const quarantined: string[] = []
  const failures: Error[] = []
  const lies: Lie[] = []
  const targets: number[] = []
  const untaken: (UntakenBlock | undefined)[] = []
  const service = await createFollowService(
    { nodes: replays.map(addressOf), chainInfo: toChainInfo(chain), minFreeBytes: 0, ...options },
    {
      onHead: (head) => heads.push(head),
      onTarget: (height) => targets.push(height),
      onQuarantine: (node, reason) => quarantined.push(`${node} ${reason}`),
      onUntaken: (found) => untaken.push(found),
      onLie: (lie) => lies.push(lie),
      onFailure: (error) => failures.push(error),
    },
    createThreadLog(({ level, fields, text }) => logs.push(`${level} ${text} ${JSON.stringify(fields)}`)),
  )
  return {
    service,
    heads,
    logs,
    quarantined,
    failures,
    lies,
    targets,
    untaken,
    until: async (number, timeoutMs) => {
      try {
        await eventually(() => heads.at(-1)?.number === number || failures.length > 0, timeoutMs)
      } catch {
        throw new Error(`the head is ${heads.at(-1)?.number}, not ${number}: ${logs.slice(-8).join('\n')}`)
      }
      if (failures[0]) throw failures[0]
    },
    close: () => service.close(),
  }
}

/** Everything that is wrong with a store, and how far it goes. */
export const inspect = async (
  path: string,
): Promise<{
  readonly faults: readonly string[]
  readonly first: number
  readonly head: number | undefined
}> => {
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    const store = new BlockStoreReader(environment)
    const faults = [...new StoreCheck(store, environment).run()].map(
      ({ number, problem }) => `${number}: ${problem}`,
    )
    return { faults, first: store.meta.first(), head: store.head()?.number }
  } finally {
    await environment.close()
  }
}
