import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { isolatedFlags, type Program, runProgram, runToEnd } from '../../support/program.ts'
import { createRpcClient } from '../../support/rpc/rpcClient.ts'
import { slow } from '../../support/slow.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

let folder: string
let replay: Replay
let storage: Server | undefined
const programs: Program[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-command-'))
  replay = await startReplay({ chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 30 }) })
})

afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM')
    await program.ended()
  }
  storage?.closeAllConnections()
  storage?.close()
  await replay.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = (name: string, ...args: readonly string[]): Program => {
  const flags = isolatedFlags(join(folder, name))
  const program = runProgram(['gateway', ...flags, '--node', replay.url, ...args])
  programs.push(program)
  return program
}

/** Starts a gateway and waits until it has a height. */
const reach = async (height: number, ...args: Parameters<typeof start>) => {
  const { http = '' } = await start(...args).ready()
  const client = createRpcClient(http)
  await eventually(async () => Number(await client.call<string>('eth_blockNumber')) >= height)
  return client
}

/** What takes a file by PUT and gives it by GET, as S3 and its kin do. */
const startStorage = async (): Promise<string> => {
  const files = new Map<string, Buffer>()
  storage = createServer(async (request, response) => {
    const { url = '', method } = request
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (method === 'PUT') files.set(url, Buffer.concat(parts))
    const found = files.get(url)
    response.writeHead(found === undefined ? 404 : 200).end(method === 'PUT' ? '' : found)
  })
  const started = storage
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as { port: number }).port}`
}

const exportTo = (target: string) => runToEnd(['snapshot', 'export', target, '--home', join(folder, 'first')])

test(
  'a new gateway begins with the snapshot of one that runs, where nodes have pruned it',
  slow,
  async () => {
    const first = await reach(30, 'first')
    const into = await exportTo(folder)
    expect(into).toMatchObject({ code: 0, stderr: '' })
    expect(into.stdout).toMatch(/^exported chain=replay-1 first=1 head=30 bytes=\d+ seconds=\S+ to \S+$/m)
    const file = readdirSync(folder).find((name) => name.endsWith('.blocks'))
    expect(file).toBe('replay-1-30.blocks')
    const url = `${await startStorage()}/bucket/blocks?signature=s3cret`
    const put = await exportTo(url)
    expect(put).toMatchObject({ code: 0, stderr: '' })
    expect(put.stdout).not.toContain('s3cret')
    await replay.setFaults({ prunedBelow: 28, prunedStateBelow: 28 })
    for (const [name, place] of [
      ['second', join(folder, file ?? '')],
      ['third', url],
    ] as const) {
      const begun = await reach(30, name, '--bootstrap', place)
      for (const number of [1, 15, 30]) {
        const height = `0x${number.toString(16)}`
        for (const [method, ...params] of [
          ['eth_getBlockByNumber', height, true],
          ['eth_getBlockReceipts', height],
        ] as const)
          expect(await begun.call(method, ...params)).toEqual(await first.call(method, ...params))
      }
    }
  },
)

test('what cannot be is said in one line', slow, async () => {
  await reach(30, 'first')
  const url = await startStorage()
  storage?.removeAllListeners('request').on('request', (_, response) => response.writeHead(403).end())
  const refused = await exportTo(`${url}/bucket?signature=s3cret`)
  expect(refused.code).toBe(74)
  expect(refused.stderr).toMatch(
    /^perihelion: http:\/\/127\.0\.0\.1:\d+\S* does not take the snapshot: the server answered with status 403\n$/,
  )
  expect((await exportTo(join(folder, 'missing', 'file'))).stderr).toMatch(
    /^perihelion: the snapshot cannot be written: ENOENT.*\n$/,
  )
  const height = await runToEnd([
    'snapshot',
    'export',
    folder,
    '--height',
    '3',
    '--home',
    join(folder, 'first'),
  ])
  expect(height).toMatchObject({ code: 64, stderr: expect.stringContaining('a gateway has no states') })
  const missing = start('second', '--bootstrap', join(folder, 'no.blocks'))
  expect(await missing.ended()).toBe(74)
  expect(missing.stderr()).toContain('the snapshot of gateway.bootstrap cannot be read (ENOENT)')
  expect(existsSync(join(folder, 'second', 'data', 'chain.mdb'))).toBe(false)
})
