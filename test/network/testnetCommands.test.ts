import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'

const run = async (...args: readonly string[]) => {
  const program = runProgram(['testnet', ...args], { HOME: process.env.HOME ?? '' })
  const code = await program.ended()
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

const firstKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

describeNetwork('a network for tests in the background', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-testnet-'))
  })
  afterEach(async () => {
    await run('stop', '--home', folder)
    rmSync(folder, { recursive: true, force: true })
  })

  test('is started, shown and stopped', slow, async () => {
    const started = await run('--home', folder, '--validators=1', '--block-time=100ms', '--detach')
    expect(started.stderr).toContain(firstKey)
    expect(started.stdout).toMatch(/^testnet node=0 http=http:\S+ .*\ntestnet ready nodes=1\n$/)
    expect(started.code).toBe(0)
    await eventually(async () => {
      const shown = JSON.parse((await run('status', '--home', folder, '--json')).stdout)
      return shown.nodes[0].status?.height > 0
    })
    expect((await run('--home', folder, '--detach')).code).toBe(75)
    expect((await run('--home', folder)).code).toBe(75)
    expect(await run('--home', folder, 'stop')).toMatchObject({ code: 0, stdout: `stopped ${folder}\n` })
    const after = await run('status', '--home', folder)
    expect(after.stdout).toMatch(/^testnet node=0 down /)
    expect(after.code).toBe(69)
    expect((await run('stop', '--home', folder)).stdout).toBe(`no network runs in ${folder}\n`)
  })

  test('says which of its nodes run by themselves', slow, async () => {
    expect((await run('--home', folder, '--validators=1', '--out-only')).code).toBe(0)
    const status = () => run('status', '--home', folder)
    expect((await status()).stderr).toContain(`no network runs in ${folder}: start it with`)
    const node = runProgram(['start', '--home', join(folder, 'node0')])
    try {
      await node.ready()
      const { code, stdout, stderr } = await status()
      expect(stdout).toMatch(/^testnet node=0 height=/)
      expect(stderr).toContain(`1 of the 1 nodes of ${folder} run by themselves`)
      expect(code).toBe(69)
    } finally {
      node.child.kill('SIGTERM')
      await node.ended()
    }
  })

  test('is refused ports that are taken, and leaves no homes', slow, async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const { code, stderr } = await run('--home', folder, '--validators=1', '--base-port', String(port))
      expect(stderr).toBe(`perihelion: the address 127.0.0.1:${port} is taken by another process\n`)
      expect(code).toBe(69)
      expect((await run('status', '--home', folder)).code).toBe(74)
    } finally {
      server.close()
    }
  })
})
