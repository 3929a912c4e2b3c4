import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postJson, sendHttp } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'

const planted = fileURLToPath(new URL('plantedErrors.mjs', import.meta.url))

/** The program with a module that throws where nobody catches when it is sent SIGUSR2. */
describe('an error that nothing caught', () => {
  let home: string
  let program: Program
  const start = async (env: Readonly<Record<string, string>>): Promise<string> => {
    program = runProgram(['start', ...isolatedFlags(home)], { NODE_OPTIONS: `--import=${planted}`, ...env })
    const { http = '' } = await program.ready()
    return http
  }
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(async () => {
    program.child.kill('SIGKILL')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  })

  test('is logged and counted, and the node goes on', async () => {
    const http = await start({})
    program.child.kill('SIGUSR2')
    const counted = async (): Promise<string> =>
      (await sendHttp(http, { method: 'GET', path: '/metrics' })).body
    await eventually(async () => /^perihelion_uncaught_errors_total 2$/m.test(await counted()))
    expect(program.stderr()).toMatch(/"kind":"exception".*planted exception/)
    expect(program.stderr()).toMatch(/"kind":"rejection".*planted rejection/)
    const answer = await postJson(http, '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}')
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x0' })
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
  })

  test('ends a program without this net', async () => {
    await start({ PLANTED_NET: 'off' })
    program.child.kill('SIGUSR2')
    expect(await program.ended()).toBe(1)
  })
})
