import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createGrpcServer } from 'node:http2'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { CometWsClient } from '../../../src/comet/client/wsClient.ts'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

const certificate = fileURLToPath(new URL('../../fixtures/tls/first.crt', import.meta.url))
const key = certificate.replace(/crt$/, 'key')
const tls = { cert: readFileSync(certificate), key: readFileSync(key) }

const closing: (() => Promise<unknown> | undefined)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns what is said of a node at this URL. */
const failureAt = async (url: string): Promise<string> => {
  const client = new CometWsClient(url, { maxReplyBytes: 1_000, maxInFlight: 1 })
  try {
    await client.call('status', {}, { timeoutMs: 10_000 })
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  } finally {
    client.close()
  }
}

describe('a URL that is not that of a node', () => {
  test('is the JSON-RPC of the chain, or REST', async () => {
    const address = await listen(createServer((_, reply) => reply.writeHead(404).end()))
    expect(await failureAt(`http://${address}`)).toMatch(
      /handshake with 404: gateway.node names CometBFT's RPC/,
    )
  })

  test('is a gRPC port', async () => {
    const address = await listen(createGrpcServer())
    expect(await failureAt(`http://${address}`)).toMatch(/does not speak HTTP\/1 .* gateway\.grpc its gRPC/)
  })

  test('has http in place of https, and the other way round', async () => {
    const secure = await listen(createSecureServer(tls))
    expect(await failureAt(`http://${secure}`)).toMatch(/socket hang up.*https:\/\//)
    const plain = await listen(createServer())
    expect(await failureAt(`https://${plain}`)).toMatch(/does not speak TLS there: its URL begins with http:/)
  })

  test('has a certificate of nobody that is known here', async () => {
    const address = await listen(createSecureServer(tls))
    expect(await failureAt(`https://${address}`)).toMatch(/certificate; name a file .* NODE_EXTRA_CA_CERTS/)
  })
})

test('a CA of NODE_EXTRA_CA_CERTS is taken for all ways to a node', slow, async () => {
  const replay = await startReplay({
    chain: new SyntheticChain({ family: 'cosmos-evm-0.7', seed: 1, length: 12 }),
  })
  closing.push(() => replay.close())
  // What a proxy with TLS in front of the node does.
  const { hostname, port } = new URL(replay.url)
  const proxy = createSecureServer(tls, (incoming, reply) => {
    const { url, method, headers } = incoming
    const passed = request({ hostname, port, path: url, method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(reply)
    })
    incoming.pipe(passed)
  })
  proxy.on('upgrade', (incoming, client, head) => {
    const node = connect(Number(port), hostname)
    const lines = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : [`${name}: ${all[at + 1]}`]))
    node.write(`${[`GET ${incoming.url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
    node.write(head)
    for (const socket of [node, client]) socket.on('error', () => [node, client].map((one) => one.destroy()))
    node.pipe(client).pipe(node)
  })
  const url = `https://${await listen(proxy)}`
  const home = temporaryHome()
  closing.push(async () => rmSync(home, { recursive: true, force: true }))
  const program = runProgram(['gateway', ...isolatedFlags(home), '--node', url], {
    NODE_EXTRA_CA_CERTS: certificate,
  })
  closing.push(async () => {
    program.child.kill('SIGTERM')
    await program.ended()
  })
  const { http = '' } = await program.ready()
  const calls = [
    ['eth_blockNumber', []],
    ['eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest']],
    // By HTTP alone.
    ['eth_call', [{ to: `0x${'1'.repeat(40)}` }, 'latest']],
  ].map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const reply = await fetch(http, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  })
  const answers = (await reply.json()) as readonly { readonly error?: unknown }[]
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
})
