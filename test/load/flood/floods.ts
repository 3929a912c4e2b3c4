import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Patch } from '../../support/programs/patchedBuild.ts'
import type { Random } from '../../support/random.ts'
import { createRpcClient } from '../../support/rpc/rpcClient.ts'

/** The node that is flooded. */
export interface FloodTarget {
  readonly http: string
  readonly ws: string
  /** The address of a contract with the largest code. */
  readonly largeCode: string
}

/** What clients were told. */
export interface FloodCounts {
  answered: number
  /** Calls that got -32005, or 503 before their body was read. */
  refused: number
  /** Everything else: connections that were cut among it. */
  other: number
}

export interface FloodOptions extends FloodTarget {
  readonly clients: number
  readonly random: Random
  readonly counts: FloodCounts
}

export interface Flood {
  /** The clients of the long form; the short one has fewer. */
  readonly clients: number
  /** The settings without the protection, under which the suite has to fail. */
  readonly unprotected: readonly string[]
  /** What is changed in the program, where no setting turns the protection off. */
  readonly patch?: Omit<Patch, 'name'>
  /** Floods with so many clients until the signal aborts, and counts what they are told. */
  run(options: FloodOptions, signal: AbortSignal): Promise<unknown>
}

const unlimited = '1000000000000'

const call = (method: string, params: readonly unknown[], id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Sends bodies one after the other and reads the responses; what is answered is counted by its text. */
const floodOverHttp = async (
  { http: url, clients, counts }: FloodOptions,
  signal: AbortSignal,
  bodies: string | readonly string[],
  pauseMs = 0,
): Promise<void> => {
  const ofClient = typeof bodies === 'string' ? [bodies] : bodies
  setMaxListeners(0, signal)
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const send = (body: string): Promise<void> =>
    new Promise((resolve) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
      const sent = request(url, { method: 'POST', agent, headers, signal }, (response) => {
        let head = ''
        response.on('data', (chunk: Buffer) => {
          if (head.length < 1000) head += chunk.toString('latin1', 0, 1000)
        })
        response.on('error', () => resolve())
        response.on('end', () => {
          if (response.statusCode === 503 || head.includes('-32005')) counts.refused++
          else counts.answered++
          resolve()
        })
      })
      sent.on('error', () => {
        if (!signal.aborted) counts.other++
        resolve()
      })
      sent.end(body)
    })
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let next = client; !signal.aborted; next++) {
        await send(ofClient[next % ofClient.length] as string) // the rest of a division by the length is an index
        if (pauseMs > 0) await sleep(pauseMs)
      }
    }),
  )
  agent.destroy()
}

/** Opens a WebSocket that keeps what it is sent unread, and says that it is alive. */
const openSlowReader = async (
  url: string,
  message: string,
  counts: FloodCounts,
  signal: AbortSignal,
): Promise<void> => {
  const socket = new WebSocket(url, { autoPong: false })
  socket.on('error', () => {})
  socket.on('close', () => {
    if (!signal.aborted) counts.refused++
  })
  await new Promise((resolve) => {
    socket.once('open', resolve)
    socket.once('close', resolve)
  })
  socket.pause()
  while (!signal.aborted && socket.readyState === WebSocket.OPEN) {
    if (socket.bufferedAmount < 1_000_000) {
      socket.send(message)
      socket.pong('alive')
      counts.answered++
    }
    await sleep(100)
  }
  socket.terminate()
}

const target = `0x${'77'.repeat(20)}`
/** JUMPDEST PUSH0 JUMP: it ends with its gas, or with its time. */
const endless = { [target]: { code: '0x5b5f56' } }
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

const address = `0x${'66'.repeat(20)}`

/** Bodies near the limit of size whose lists are long and wrong in every element. */
const malformedBodies = (): readonly string[] => {
  const wrong = Array.from({ length: 1_600_000 }, () => ({}))
  const badKeys = Array.from({ length: 130_000 }, () => 1)
  const counts = Array.from({ length: 2_000_000 }, () => -1)
  return [
    call('eth_call', [{ to: address, accessList: [{ address, storageKeys: badKeys }] }, 'latest']),
    call('eth_getStorageValues', [{ [address]: badKeys }, 'latest']),
    call('eth_call', [{ to: address, authorizationList: wrong }, 'latest']),
    call('eth_getProof', [address, wrong, 'latest']),
    call('eth_call', [{ to: address, blobVersionedHashes: wrong }, 'latest']),
    call('eth_simulateV1', [{ blockStateCalls: wrong }, 'latest']),
    call('eth_feeHistory', ['0x1', 'latest', counts]),
  ]
}

/** Bodies that are right, with as much to decode as their length allows: state overrides and long lists of calls. */
const longBodies = (): readonly string[] => {
  const word = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`
  const slots = (count: number): object => ({
    [address]: {
      stateDiff: Object.fromEntries(Array.from({ length: count }, (_, at) => [word(at), word(at)])),
    },
  })
  const calls = Array.from({ length: 5_000 }, () => ({
    from: address,
    to: target,
    data: `0x${'ab'.repeat(100)}`,
  }))
  return [
    call('eth_call', [{ to: target }, 'latest', slots(4_200)]),
    call('eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: slots(34_000), calls: [] }] }, 'latest']),
    call('eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest']),
    call('debug_traceCall', [
      { to: target },
      'latest',
      { tracer: 'callTracer', stateOverrides: slots(4_200) },
    ]),
  ]
}

/** Everything that a caller can do too much of, by name. */
export const floods: Readonly<Record<string, Flood>> = {
  batches: {
    clients: 40,
    unprotected: [`--json-rpc.request-memory=${unlimited}`],
    run: (options, signal) => {
      const read = (id: number): string => call('eth_getCode', [options.largeCode, 'latest'], id)
      return floodOverHttp(options, signal, `[${Array.from({ length: 505 }, (_, id) => read(id)).join()}]`)
    },
  },
  slowReaders: {
    clients: 300,
    unprotected: [
      ...['request-memory', 'ws-max-backlog', 'ws-total-backlog'].map(
        (name) => `--json-rpc.${name}=${unlimited}`,
      ),
      '--json-rpc.ws-ping-interval=10m',
    ],
    run: async ({ ws, largeCode, clients, counts }, signal) => {
      const calls = Array.from({ length: 200 }, (_, id) => call('eth_getCode', [largeCode, 'latest'], id))
      const message = `[${calls.join()}]`
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (!signal.aborted) {
            await openSlowReader(ws, message, counts, signal)
            await sleep(50)
          }
        }),
      )
    },
  },
  filters: {
    clients: 20,
    unprotected: [`--json-rpc.filter-memory=${unlimited}`, '--json-rpc.filter-cap=100000'],
    run: async ({ ws, clients, random, counts }, signal) => {
      const over = new Promise<string>((resolve) =>
        signal.addEventListener('abort', () => resolve(''), { once: true }),
      )
      const words = (count: number, length: number): string[] =>
        Array.from({ length: count }, () => hex(random.bytes(length)))
      const flood = async (): Promise<void> => {
        const socket = new WebSocket(ws)
        socket.on('error', () => {})
        const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('')))
        await new Promise((resolve) => {
          socket.once('open', resolve)
          socket.once('close', resolve)
        })
        const topics = Array.from({ length: 4 }, () => words(250, 32))
        const message = call('eth_newFilter', [{ address: words(250, 20), topics }])
        while (!signal.aborted && socket.readyState === WebSocket.OPEN) {
          socket.send(message)
          const answer = new Promise<string>((resolve) =>
            socket.once('message', (data) => resolve(String(data))),
          )
          const text = await Promise.race([answer, closed, over])
          if (text.includes('-32005')) {
            counts.refused++
            await sleep(100)
          } else if (text !== '') counts.answered++
        }
        socket.terminate()
      }
      await Promise.all(Array.from({ length: clients }, flood))
    },
  },
  malformed: {
    clients: 8,
    unprotected: [],
    // The check of a list's length, and the end of decoding at its first wrong element.
    patch: {
      pattern:
        /inst\._zod\.parse = \(payload, context\) => \{(?=\s*const given = payload\.value;\s*if \(!Array)/,
      replacement:
        'const ofZod = inst._zod.parse; inst._zod.parse = (payload, context) => { return ofZod(payload, context);',
    },
    run: (options, signal) => floodOverHttp(options, signal, malformedBodies()),
  },
  decoding: {
    clients: 20,
    unprotected: [],
    // The length from which on bodies are read, and parameters decoded, in slices.
    patch: { pattern: /\blongBody = 8192\b/, replacement: 'longBody = Number.POSITIVE_INFINITY' },
    run: (options, signal) => floodOverHttp(options, signal, longBodies()),
  },
  inlineCalls: {
    clients: 100,
    unprotected: [],
    // The share of a turn of the event loop that calls may take.
    patch: { pattern: /\bturnMs = 5\b/, replacement: 'turnMs = Number.POSITIVE_INFINITY' },
    run: (options, signal) =>
      floodOverHttp(options, signal, call('eth_call', [{ to: target, gas: '0x78000' }, 'latest', endless])),
  },
  mixed: {
    clients: 30,
    unprotected: ['--json-rpc.inline-gas=1000000000', '--json-rpc.gas-cap=1000000000'],
    // The time that a call may take on the main thread.
    patch: { pattern: /\bdefaultInlineTime = 5\b/, replacement: 'defaultInlineTime = 60_000' },
    run: (options, signal) => {
      const heavy = call('eth_call', [{ to: target }, 'latest', endless])
      const traceOptions = { tracer: 'callTracer', stateOverrides: endless }
      const trace = call('debug_traceCall', [{ to: target, gas: '0x989680' }, 'latest', traceOptions])
      const logs = call('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
      const few = { ...options, clients: Math.ceil(options.clients / 8) }
      // 150 heavy calls and 20 traces a second with 30 clients, each answered or refused at once.
      return Promise.all([
        floodOverHttp(options, signal, heavy, 200),
        floodOverHttp(few, signal, trace, 200),
        floodOverHttp(few, signal, logs, 20),
      ])
    },
  },
}

/** Init code that leaves 24,576 bytes of zeros as code. */
const largeInit = '0x6160005ff3'

/** Makes a contract with the largest code on a dev chain and returns its address. */
export const deployLargeCode = async (http: string): Promise<string> => {
  const rpc = createRpcClient(http)
  const [from] = await rpc.call<readonly string[]>('eth_accounts')
  const hash = await rpc.call<string>('eth_sendTransaction', { from, data: largeInit, gas: '0x7a1200' })
  for (;;) {
    const receipt = await rpc.call<{ contractAddress: string } | null>('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt.contractAddress
    await sleep(50)
  }
}
