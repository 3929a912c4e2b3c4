import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPage } from '../docs/markdown.ts'
import { type Program, runProgram } from '../support/program.ts'
import { findProxy, nginxBasics, type ProxyKind, ProxyProcess } from '../support/programs/proxyProcess.ts'
import { toCallJson } from '../support/rpc/calls.ts'
import { RawSocket } from '../support/rpc/rawSocket.ts'
import { readDeployFile } from './files.ts'

/** The configurations of proxies that we write down, as they stand, in front of a node: clients get JSON-RPC, and no page for operators. */

const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readPage('docs/operations.md'))?.[1] ?? ''

const ofNginx = (text: string) => (folder: string, port: number) =>
  `${nginxBasics(folder)}\n${text
    .replace(/^( *listen) .*;/m, `$1 unix:${folder}/clients.sock;`)
    .replace(/\bgateway\d:8545/g, `127.0.0.1:${port}`)}\n}`

const configs: readonly (readonly [string, ProxyKind, (folder: string, port: number) => string])[] = [
  ['compose/nginx.conf', 'nginx', ofNginx(readDeployFile('compose/nginx.conf'))],
  ['nginx of docs/operations.md', 'nginx', ofNginx(blockOf('nginx'))],
  [
    'HAProxy of docs/operations.md',
    'haproxy',
    (folder, port) =>
      blockOf('haproxy')
        .replace(/bind .*/, `bind unix@${folder}/clients.sock`)
        .replace(/10\.0\.0\.\d:8545/g, `127.0.0.1:${port}`),
  ],
]

const spellings = (page: string): readonly string[] => [
  ...[page, `${page}?x=1`, `${page}/`, `/${page}`, `/x/..${page}`, `/.${page}`, `http://rpc.example${page}`],
  ...[`/%${page.charCodeAt(1).toString(16)}${page.slice(2)}`, `${page}%3fx`, `${page};x`, `${page}%00`],
]
const pages = ['/metrics', '/health', '/ready'].flatMap(spellings)

let node: Program
let port = 0
beforeAll(async () => {
  node = runProgram([
    ...['start', '--ephemeral', '--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address='],
    ...['--json-rpc.vhosts=rpc.example', '--json-rpc.trusted-proxies=127.0.0.1'],
  ])
  port = Number(new URL((await node.ready()).http ?? '').port)
})
afterAll(async () => {
  node.child.kill('SIGTERM')
  await node.ended()
})

const send = async (target: string, request: string): Promise<string> => {
  const raw = await RawSocket.open(target)
  raw.send(Buffer.from(request))
  const answer = await raw.receive(/\r\n\r\n.|\r\ncontent-length: 0\r\n/is)
  raw.close()
  return answer
}

const get = (target: string, path: string) =>
  send(target, `GET ${path} HTTP/1.1\r\nHost: rpc.example\r\nConnection: close\r\n\r\n`)

test('the node has these pages', async () => {
  for (const page of ['/metrics', '/health', '/ready'])
    expect(await get(`http://127.0.0.1:${port}`, page)).toMatch(/^HTTP\/1\.1 200 /)
})

describe.each(configs)('%s', (_, kind, toConfig) => {
  const program = findProxy(kind)
  if (program === undefined) {
    test.skip(`passes on no page for operators (${kind} is not installed)`, () => {})
    return
  }
  let proxy: ProxyProcess
  beforeAll(async () => {
    proxy = await new ProxyProcess(kind, program, (folder) => toConfig(folder, port)).ready()
  })
  afterAll(() => proxy.close())

  test('passes on JSON-RPC and its document', async () => {
    const body = toCallJson('eth_chainId')
    const head = `POST / HTTP/1.1\r\nHost: rpc.example\r\nContent-Type: application/json\r\nConnection: close\r\n`
    expect(await send(proxy.socketPath, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)).toContain(
      '"result":"0x7a69"',
    )
    expect(await get(proxy.socketPath, '/openrpc.json')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('passes on no page for operators, however it is spelled', async () => {
    for (const path of pages)
      expect([path, await get(proxy.socketPath, path)]).toEqual([
        path,
        expect.stringMatching(/^HTTP\/1\.1 (?:400|403|404|405) /),
      ])
  })
})
