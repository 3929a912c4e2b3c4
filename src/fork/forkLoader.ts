import { keccak256 } from '../base/crypto/crypto.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../base/encoding/hex.ts'
import { ChainError, unavailable } from '../chain/chainError.ts'
import type { ForkKey } from '../chain/state/forkSource.ts'
import { type ForkBlock, otherBlock, remoteProblem } from './forkBlock.ts'
import type { ForkCache, ForkValue } from './forkCache.ts'
import type { Answer } from './remote/answers.ts'
import type { RemoteCall, RemoteClient } from './remote/remoteClient.ts'
import { MalformedAnswerError, readBlockHash, readData, readQuantity, readWord } from './remote/values.ts'

/** The keys that are requested at once at most; three calls each, if they are accounts. */
const maxKeys = 256
/** The batches that are under way at most; what is wanted meanwhile goes in the next one. */
const maxRunning = 3

const idOf = (key: ForkKey): string => {
  switch (key.kind) {
    case 'account':
      return toHex(key.address)
    case 'slot':
      return `${toHex(key.address)}${toHex(key.slot)}`
    case 'hash':
      return `${key.number}`
  }
}

interface Wanted {
  readonly key: ForkKey
  readonly id: string
}

/** What is requested at once. */
class Batch {
  readonly wanted: Wanted[] = []
  /** Why some of it could not be read, by its id. */
  readonly failed = new Map<string, ChainError>()
  readonly done: Promise<void>
  resolve: () => void = () => {}
  reject: (error: unknown) => void = () => {}

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/** How a value is requested, and read from the responses. */
interface Question {
  readonly calls: readonly RemoteCall[]
  readonly read: (answers: readonly unknown[]) => ForkValue
}

/**
 * Fetches values of the fork block into the cache. What is requested in one turn of the event loop, or while enough is under way, by
 * any thread, goes in one batch, and nothing is requested twice at the same time. Each batch ends with a request for the fork block itself: if the
 * remote has another one by then, nothing of the batch is taken.
 */
export class ForkLoader {
  readonly #block: ForkBlock
  readonly #client: () => RemoteClient
  readonly #cache: ForkCache
  /** What is being fetched, or will be in this turn. */
  readonly #running = new Map<string, Batch>()
  /** The batches that are not under way yet. */
  readonly #waiting: Batch[] = []
  #batches = 0

  /** `client` returns the one of now. */
  constructor(block: ForkBlock, client: () => RemoteClient, cache: ForkCache) {
    this.#block = block
    this.#client = client
    this.#cache = cache
  }

  /** Resolves when all values are in the cache and this thread can read them. */
  async load(keys: readonly ForkKey[]): Promise<void> {
    this.#cache.refresh()
    const waits = new Map<string, Batch>()
    for (const key of keys) {
      if (this.#cache.has(key)) continue
      const id = idOf(key)
      waits.set(id, this.#running.get(id) ?? this.#add({ key, id }))
    }
    await Promise.all(new Set([...waits.values()].map(({ done }) => done)))
    this.#cache.refresh()
    for (const [id, { failed }] of waits) {
      const error = failed.get(id)
      if (error !== undefined) throw error
    }
  }

  /** Gives up what is not requested yet. */
  giveUpWaiting(): void {
    for (const batch of this.#waiting.splice(0)) {
      for (const { id } of batch.wanted) this.#running.delete(id)
      batch.reject(unavailable('request to the remote abandoned; try again'))
    }
  }

  #add(wanted: Wanted): Batch {
    let batch = this.#waiting.at(-1)
    if (batch === undefined || batch.wanted.length >= maxKeys) {
      batch = new Batch()
      this.#waiting.push(batch)
      setImmediate(() => this.#startNext())
    }
    batch.wanted.push(wanted)
    this.#running.set(wanted.id, batch)
    return batch
  }

  #startNext(): void {
    if (this.#batches >= maxRunning) return
    const batch = this.#waiting.shift()
    if (batch === undefined) return
    this.#batches++
    this.#fetch(batch)
      .finally(() => {
        this.#batches--
        for (const { id } of batch.wanted) this.#running.delete(id)
        this.#startNext()
      })
      .then(batch.resolve, batch.reject)
  }

  /** Fetches what is wanted. What the remote does not tell of it fails alone: others may have asked for the rest. */
  async #fetch({ wanted, failed }: Batch): Promise<void> {
    const number = Number(this.#block.header.number)
    const client = this.#client()
    const questions = wanted.map(({ id, key }) => ({ id, ...toQuestion(key, toQuantity(number)) }))
    const answers = await client.batch([
      ...questions.flatMap(({ calls }) => calls),
      { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] },
    ])
    try {
      const block = this.#result(answers.at(-1) as Answer) // the last call
      if (!equalBytes(readBlockHash(block, number, 'eth_getBlockByNumber'), this.#block.hash))
        throw new MalformedAnswerError(otherBlock(this.#block))
    } catch (error) {
      throw toUnreadable(client, error)
    }
    const values: ForkValue[] = []
    let at = 0
    for (const { id, calls, read } of questions) {
      try {
        values.push(read(answers.slice(at, at + calls.length).map((answer) => this.#result(answer))))
      } catch (error) {
        failed.set(id, toUnreadable(client, error))
      }
      at += calls.length
    }
    await this.#cache.write(values)
  }

  #result({ result, error }: Answer): unknown {
    if (error === undefined) return result
    const { number } = this.#block.header
    throw new MalformedAnswerError(`does not tell the state of block ${number}: ${error.message}`)
  }
}

/** Returns the error about a response that cannot be used: the remote answers, so that it will not change by itself. */
const toUnreadable = (client: RemoteClient, error: unknown): ChainError => {
  if (!(error instanceof MalformedAnswerError)) throw error
  const { kind, message } = remoteProblem(client, error.message)
  return new ChainError(kind, message, { isLasting: true })
}

const toQuestion = (key: ForkKey, tag: string): Question => {
  switch (key.kind) {
    case 'account': {
      const address = toHex(key.address)
      return {
        calls: ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) => ({
          method,
          params: [address, tag],
        })),
        read: ([balance, nonce, bytes]) => {
          const code = readData(bytes, 'eth_getCode')
          const account = {
            balance: readQuantity(balance, 256, 'eth_getBalance'),
            nonce: readQuantity(nonce, 64, 'eth_getTransactionCount'),
            codeHash: keccak256(code),
          }
          return { kind: 'account', address: key.address, account, code }
        },
      }
    }
    case 'slot': {
      const { address, slot } = key
      return {
        calls: [{ method: 'eth_getStorageAt', params: [toHex(address), toHex(slot), tag] }],
        read: ([word]) => ({ kind: 'slot', address, slot, word: readWord(word, 'eth_getStorageAt') }),
      }
    }
    case 'hash': {
      const { number } = key
      return {
        calls: [{ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }],
        read: ([block]) => ({
          kind: 'hash',
          number,
          hash: readBlockHash(block, number, 'eth_getBlockByNumber'),
        }),
      }
    }
  }
}
