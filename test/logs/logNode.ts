import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { dataFile } from '../../src/home/layout.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { BlockStoreReader } from '../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../src/store/check/storeCheck.ts'
import { postJson, sendIpc } from '../support/clients.ts'
import { startTestService } from '../support/service.ts'
import { temporaryHome } from '../support/testServer.ts'

export interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A node on a home that outlives it: it can be stopped, changed while it is down, and started again. */
export class LogNode {
  readonly home = temporaryHome()
  readonly #flags: readonly string[]
  #url = ''
  #stop: (() => Promise<void>) | undefined

  constructor(...flags: readonly string[]) {
    this.#flags = flags
  }

  async start(...more: readonly string[]): Promise<void> {
    const service = await startTestService(this.home, { flags: [...this.#flags, ...more] })
    this.#url = service.urls().http ?? ''
    this.#stop = () => service.close()
  }

  async stop(): Promise<void> {
    await this.#stop?.()
    this.#stop = undefined
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.home, { recursive: true, force: true })
  }

  async batch(calls: readonly Call[]): Promise<Answer[]> {
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    return JSON.parse(await postJson(this.#url, JSON.stringify(body))) as Answer[]
  }

  async answer(method: string, ...params: readonly unknown[]): Promise<Answer> {
    const body = { jsonrpc: '2.0', id: 1, method, params }
    return JSON.parse(await postJson(this.#url, JSON.stringify(body))) as Answer
  }

  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.answer(method, ...params)
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
    return result as T // as the caller knows
  }

  /** A call of the operator, who may do more than others. */
  async operate(method: string, ...params: readonly unknown[]): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { error } = JSON.parse(await sendIpc(join(this.home, 'perihelion.ipc'), body)) as Answer
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
  }

  async head(): Promise<number> {
    return Number(await this.call<string>('eth_blockNumber'))
  }

  /** Until nothing is left to put into blocks: after a start the pool's journal may hold something. */
  async settle(): Promise<void> {
    for (let before = -1; ; ) {
      const { pending } = await this.call<{ pending: string }>('txpool_status')
      const head = await this.head()
      if (pending === '0x0' && head === before) return
      before = head
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** While the node is down: gives up blocks below a height. */
  async prune(height: number): Promise<void> {
    const environment = new LmdbEnvironment({ path: dataFile(this.home), minFreeBytes: 0 })
    const store = new BlockStore(environment)
    let oldest = 0
    while (oldest < height)
      await environment.transact(() => {
        oldest = store.pruneBelow(height, 7)
      })
    await environment.close()
  }

  /** While the node is down: what `perihelion db check` finds. */
  async faults(): Promise<string[]> {
    const environment = new LmdbEnvironment({ path: dataFile(this.home), readOnly: true })
    const faults = [...new StoreCheck(new BlockStoreReader(environment), environment).run()]
    await environment.close()
    return faults.map(({ number, problem }) => `${number}: ${problem}`)
  }
}
