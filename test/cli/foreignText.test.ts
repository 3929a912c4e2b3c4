import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'

/** What somebody else says: it clears the screen, sets the title, forges a line, and turns text around. */
const hostile =
  'quoted\x1b[2J\x1b]0;owned\x07\x9b31m\r\nperihelion: forged\n\u2028forged \u202egnp.exe\u200b\u{e0041}'
const harmful = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u

/** Whatever is asked, with the hostile text in it. */
const answers: Readonly<Record<string, (id: unknown) => unknown>> = {
  error: (id) => ({ jsonrpc: '2.0', id, error: { code: -32_603, message: hostile } }),
  strings: (id) => ({ jsonrpc: '2.0', id, result: hostile }),
  refusal: (id) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: hostile } }),
}

interface Call {
  readonly id: unknown
}

/** A node whose kind of answer is the first part of the path. */
const startHostileNode = async (): Promise<Server> => {
  const server = createServer(async (request, response) => {
    const [, kind = ''] = (request.url ?? '').split('/')
    const answer = answers[kind]
    if (answer === undefined) return response.writeHead(Number(kind) || 404).end(hostile)
    const body = request.method === 'POST' ? ((await json(request)) as Call | readonly Call[]) : { id: 0 }
    const all = Array.isArray(body) ? body.map(({ id }) => answer(id)) : answer((body as Call).id)
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(all))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const run = async (...args: readonly string[]) => {
  const program = runProgram(args, { HOME: '/nonexistent' })
  const code = await program.ended()
  return { code, output: program.stdout() + program.stderr() }
}

const expectHarmless = (output: string): void => {
  expect(output).not.toMatch(harmful)
  expect(output).not.toMatch(/^\s*perihelion: forged/m)
}

describe('what others say is shown as text by', () => {
  let server: Server
  let home: string
  let origin: string
  beforeAll(async () => {
    server = await startHostileNode()
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    home = temporaryHome()
  })
  afterAll(() => {
    server.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('control: the text would not pass', () => {
    expect(() => expectHarmless(hostile)).toThrow()
    for (const character of ['\x1b', '\r', '\x9b', '\u202e', '\u2028', '\u{e0041}'])
      expect(character).toMatch(harmful)
  })

  test.each(['error', 'strings', 'refusal'])('a fork of a remote with %s', async (kind) => {
    const { code, output } = await run(
      ...['anvil', '--port', '0', '--fork-url', `${origin}/${kind}`],
      ...['--retries', '0', '--fork-retry-backoff', '1'],
    )
    expect(code).not.toBe(0)
    expectHarmless(output)
    if (kind !== 'strings') expect(output).toContain('quoted·[2J')
  })

  test.each(['500', '403', '200'])('a fork of what answers %s, which shows no body', async (status) => {
    const { code, output } = await run(
      ...['anvil', '--port', '0', '--fork-url', `${origin}/${status}`],
      ...['--retries', '0', '--fork-retry-backoff', '1'],
    )
    expect(code).not.toBe(0)
    expectHarmless(output)
    expect(output).not.toContain('quoted')
  })

  test.each(['error', 'strings', '500'])('the status of a node with %s', async (kind) => {
    for (const flags of [[], ['--json']])
      expectHarmless((await run('status', '--url', `${origin}/${kind}`, ...flags)).output)
  })

  test.each(['error', '403'])('a pipeline from a node with %s', async (kind) => {
    const program = runProgram(['follow', '--url', `${origin}/${kind}`, '--out', '-', '--to', '1'])
    const seen = new Promise<void>((resolve) => {
      program.child.stderr?.on('data', () => {
        if (program.stderr().includes('\n')) resolve()
      })
    })
    await Promise.race([seen, program.ended()])
    program.child.kill('SIGTERM')
    await program.ended()
    expect(program.stderr()).not.toBe('')
    expectHarmless(program.stdout() + program.stderr())
  })

  test.each(['error', '500'])('a gateway to a node with %s, and its doctor', async (kind) => {
    const folder = join(home, kind)
    const doctor = await run('doctor', '--home', folder, '--node', `${origin}/${kind}`)
    expectHarmless(doctor.output)
    const asJson = await run('doctor', '--json', '--home', folder, '--node', `${origin}/${kind}`)
    expectHarmless(asJson.output)
    const program = runProgram(['gateway', '--node', `${origin}/${kind}`, ...isolatedFlags(folder)])
    const seen = new Promise<void>((resolve) => {
      program.child.stderr?.on('data', () => {
        if (program.stderr().includes('\n')) resolve()
      })
    })
    await Promise.race([seen, program.ended()])
    program.child.kill('SIGTERM')
    await program.ended()
    expectHarmless(program.stdout() + program.stderr())
  })

  test('commands over files of others', async () => {
    const folder = join(home, 'files')
    mkdirSync(folder)
    const genesis = join(folder, 'genesis.json')
    writeFileSync(
      genesis,
      JSON.stringify({ config: { chainId: hostile, [hostile]: 1 }, alloc: { [hostile]: {} } }),
    )
    for (const command of ['validate', 'show'])
      expectHarmless((await run('genesis', command, genesis)).output)
    writeFileSync(
      join(folder, 'test.json'),
      JSON.stringify({ [hostile]: { env: {}, pre: {}, post: { [hostile]: [] } } }),
    )
    expectHarmless((await run('evm', 'statetest', join(folder, 'test.json'))).output)
    writeFileSync(join(folder, 'id.json'), JSON.stringify({ nodeId: hostile, p2p: hostile }))
    expectHarmless((await run('network', 'peers', join(folder, 'id.json'), '--home', folder)).output)
    writeFileSync(join(folder, 'app.toml'), `chain-id = ${JSON.stringify('x\u202ey')}\n`)
    expectHarmless((await run('config', 'show', '--home', folder)).output)
    expectHarmless((await run('start', '--home', `${folder}/\u202e\x1b[2J`, '--chain-id', hostile)).output)
    expectHarmless((await run(`unknown\x1b[2J\u202e`)).output)
  })
})
