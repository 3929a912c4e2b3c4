import { rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { methods } from '../../../src/api/methods.ts'
import { loadSecret } from '../../../src/rpc/access/secret.ts'
import { createToken } from '../../../src/rpc/access/token.ts'
import { createOpenRpcDocument } from '../../../src/rpc/openrpc.ts'
import { postJson, sendHttp } from '../../support/clients.ts'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { findTextProblem } from './answers.ts'
import { type FuzzBody, RequestGenerator } from './generator.ts'
import { fuzzFlags } from './inProcess.ts'
import { prepareChain } from './prepareChain.ts'
import { type FuzzLimits, type FuzzReport, FuzzTally, type MemoryUse } from './report.ts'

const lanes = 8

/** The default of `max-body-size`. */
const maxBodyBytes = 5_000_000

/** The program under attack, and how to reach it. */
export interface WireTarget {
  readonly http: string
  readonly ws: string
  readonly ipcPath: string
  readonly secret: Uint8Array
  readonly agent: Agent
}

/** Sends bodies to the built program over HTTP, WebSocket and IPC, with a token and without. */
export const runOverWire = async (limits: FuzzLimits): Promise<FuzzReport> => {
  const home = temporaryHome()
  const program = runProgram(['start', ...isolatedFlags(home), ...fuzzFlags])
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  try {
    const { http = '', ws = '' } = await program.ready()
    const target = { http, ws, ipcPath: join(home, 'perihelion.ipc'), secret: loadSecret(home), agent }
    const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
      (
        JSON.parse(await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as {
          result: unknown
        }
      ).result
    const known = await prepareChain(ask)
    const generator = new RequestGenerator(createOpenRpcDocument(methods, '1.0.0'), {
      seed: limits.seed,
      known,
    })
    const random = createRandom(limits.seed + 1)
    const tally = new FuzzTally('over the wire', limits, () => measureMemory(target))
    const runLane = async (): Promise<void> => {
      while (program.child.exitCode === null && tally.mayStart()) {
        const made = generator.nextBody()
        // What is too large is refused by closing the connection.
        const body = made.bytes.length > maxBodyBytes ? { ...made, ids: undefined } : made
        const problem = await sendBody(target, body, random).catch(
          (error: Error) => `not sent: ${error.message}`,
        )
        tally.count(problem === undefined ? undefined : `${problem}: ${describeBytes(body.bytes)}`)
      }
    }
    await Promise.all(Array.from({ length: lanes }, runLane))
    if (program.child.exitCode !== null) {
      tally.addProblem(`the program ended with ${program.child.exitCode}: ${program.stderr().slice(-2_000)}`)
    } else {
      for (const problem of await findLastingProblems(http)) tally.addProblem(problem)
    }
    return await tally.finish()
  } finally {
    agent.destroy()
    program.child.kill('SIGKILL')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Sends a body over one of the transports; returns what is wrong with what came back. */
export const sendBody = (target: WireTarget, body: FuzzBody, random: Random): Promise<string | undefined> => {
  const withToken = random.chance(0.5)
  switch (random.pick(['http', 'http', 'ws', 'ipc'] as const)) {
    case 'http':
      return overHttp(target, body, withToken)
    case 'ws':
      return overWs(target, body, withToken)
    case 'ipc':
      return overIpc(target, body)
  }
}

const bearer = ({ secret }: WireTarget): Record<string, string> => ({
  Authorization: `Bearer ${createToken(secret, Date.now())}`,
})

/** Statuses that a body may be answered with; of those from 500 on, only the one of a node that starts or stops. */
const allowedStatuses = new Set([200, 400, 413, 429, 503])

const overHttp = (target: WireTarget, { bytes, ids, isBatch }: FuzzBody, withToken: boolean) =>
  new Promise<string | undefined>((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
      ...(withToken ? bearer(target) : {}),
    }
    const sent = httpRequest(target.http, { method: 'POST', headers, agent: target.agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0 } = response
        const text = Buffer.concat(chunks).toString()
        if (!allowedStatuses.has(statusCode)) resolve(`status ${statusCode}: ${text.slice(0, 200)}`)
        else resolve(statusCode === 200 ? findTextProblem(text, ids, isBatch) : undefined)
      })
    })
    sent.on('error', reject)
    sent.end(bytes)
  })

const sentinel = '{"jsonrpc":"2.0","id":"sentinel","method":"net_version"}'

const overWs = (target: WireTarget, { bytes, ids, isBatch }: FuzzBody, withToken: boolean) =>
  new Promise<string | undefined>((resolve, reject) => {
    const socket = new WebSocket(target.ws, withToken ? { headers: bearer(target) } : {})
    let problem: string | undefined
    let isAnswered = ids === undefined
    let isSentinelBack = false
    socket.on('open', () => {
      socket.send(bytes, { binary: false })
      socket.send(sentinel)
    })
    socket.on('message', (data) => {
      const text = String(data)
      if (text.startsWith('{"jsonrpc":"2.0","id":"sentinel"')) isSentinelBack = true
      // Notifications of a subscription that the body made.
      else if (
        !text.includes('"method":"eth_subscription"') &&
        !text.includes('"method":"debug_subscription"')
      ) {
        isAnswered = true
        problem ??= findTextProblem(text, ids, isBatch)
      }
      if (isAnswered && isSentinelBack) socket.terminate()
    })
    socket.on('error', (error) => (ids === undefined ? resolve(undefined) : reject(error)))
    // Bytes that are not text end the connection, and that is the answer.
    socket.on('close', () => resolve(isAnswered || ids === undefined ? problem : 'closed without an answer'))
  })

const overIpc = ({ ipcPath }: WireTarget, { bytes, ids, isBatch }: FuzzBody) =>
  new Promise<string | undefined>((resolve, reject) => {
    const socket: Socket = createConnection(ipcPath)
    let text = ''
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      socket.write(bytes)
      socket.write('\n')
      // Mutated bytes may have no end, so that the splitter waits for more: nobody knows what comes back.
      if (ids === undefined) socket.end()
    })
    socket.on('data', (chunk: string) => {
      text += chunk
      if (ids !== undefined && text.includes('\n')) socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // What is not JSON at all ends the connection while the rest is still being written.
      if (ids === undefined && (error.code === 'EPIPE' || error.code === 'ECONNRESET')) return
      reject(error)
    })
    socket.on('close', () => {
      const [answer = ''] = text.split('\n')
      resolve(ids === undefined ? undefined : findTextProblem(answer, ids, isBatch))
    })
  })

/** What the node counted of itself. */
const findLastingProblems = async (http: string): Promise<readonly string[]> => {
  const { status, body } = await sendHttp(http, { method: 'GET', path: '/metrics' })
  if (status !== 200) return [`/metrics answers ${status}`]
  const counters = /^(perihelion_(?:rpc_internal|uncaught)_errors_total(?:\{.*\})?) ([1-9]\d*)$/gm
  return [...body.matchAll(counters)].map(([line]) => line)
}

interface MemoryStats {
  readonly rss: number
  readonly external: number
  readonly heap: { readonly used: number }
  readonly threads: Readonly<Record<string, { readonly used: number }>>
}

/** Has the node collect its garbage, and asks what is in use of all threads then. */
const measureMemory = async (target: WireTarget): Promise<MemoryUse> => {
  const ask = async (method: string): Promise<unknown> =>
    (
      JSON.parse(
        await postJson(
          target.http,
          JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
          bearer(target),
        ),
      ) as { readonly result: unknown }
    ).result
  await ask('debug_freeOSMemory')
  const { rss, external, heap, threads } = (await ask('debug_memStats')) as MemoryStats
  const inThreads = Object.values(threads).reduce((sum, { used }) => sum + used, 0)
  return { inUse: heap.used + external + inThreads, resident: rss }
}

const describeBytes = (bytes: Buffer): string => {
  const text = bytes.subarray(0, 2_000).toString()
  return bytes.length > 2_000 ? `${text}… (${bytes.length})` : text
}
