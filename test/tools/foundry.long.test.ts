import { execFile } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** A folder with `forge` and `cast`; `FOUNDRY_BIN` names another one. */
const bin = process.env.FOUNDRY_BIN ?? '/opt/peers/foundry/node_modules/.bin'
const missing = ['forge', 'cast'].find((name) => !existsSync(join(bin, name)))
const project = fileURLToPath(new URL('foundry', import.meta.url))

const alice = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const bob = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

if (missing !== undefined) console.log(`skipped: ${missing} of Foundry is not in ${bin} (FOUNDRY_BIN)`)

describe.skipIf(missing !== undefined)('Foundry', () => {
  let node: TestNode
  let folder: string
  beforeAll(async () => {
    node = await startTestNode()
    folder = mkdtempSync(join(tmpdir(), 'perihelion-foundry-'))
    cpSync(project, folder, { recursive: true })
    chmodSync(join(folder, 'solc.cjs'), 0o755)
  })
  afterAll(async () => {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (
    program: 'forge' | 'cast',
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(join(bin, program), [...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        ETH_RPC_URL: node.http,
        FOUNDRY_SOLC: join(folder, 'solc.cjs'),
        FOUNDRY_DISABLE_NIGHTLY_WARNING: '1',
        SOLC_MODULE: createRequire(import.meta.url).resolve('solc'),
        ...env,
      },
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
    })
    return stdout.trim() || stderr.trim()
  }
  const deploy = async (): Promise<string> => {
    const created = await run('forge', [
      ...['create', 'src/Counter.sol:Counter', '--unlocked', '--from', alice, '--broadcast', '--json'],
    ])
    return (JSON.parse(created) as { deployedTo: string }).deployedTo
  }

  test('cast sends with the accounts of the node', async () => {
    expect(await run('cast', ['chain-id'])).toBe('31337')
    const sent = await run('cast', [
      ...['send', '--unlocked', '--from', alice, bob, '--value', '1ether', '--json'],
    ])
    expect(JSON.parse(sent)).toMatchObject({ status: '0x1', from: alice.toLowerCase() })
    expect(await run('cast', ['balance', bob])).toBe(String(10_001n * 10n ** 18n))
  })

  test('forge creates a contract, cast calls it and sees why it reverts', async () => {
    const address = await deploy()
    await run('cast', ['send', '--unlocked', '--from', alice, address, 'setNumber(uint256)', '7'])
    expect(await run('cast', ['call', address, 'number()(uint256)'])).toBe('7')
    // The program of the npm package ends with 0 whatever happens.
    const failed = run('cast', ['send', '--unlocked', '--from', alice, address, 'setNumber(uint256)', '1001'])
    expect(await failed.catch((error: Error) => error.message)).toContain('execution reverted')
    expect(await run('cast', ['call', address, 'number()(uint256)'])).toBe('7')
  })

  test('forge script broadcasts', async () => {
    const before = Number(await run('cast', ['nonce', alice]))
    const script = ['script', 'script/Deploy.s.sol:Deploy', '--rpc-url', node.http, '--broadcast']
    const output = await run('forge', [...script, '--unlocked', '--sender', alice])
    expect(output).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
    expect(Number(await run('cast', ['nonce', alice]))).toBe(before + 3)
  })

  test('forge tests a fork of the node', async () => {
    const address = await deploy()
    await run('cast', ['send', '--unlocked', '--from', alice, address, 'setNumber(uint256)', '7'])
    const output = await run('forge', ['test', '--fork-url', node.http], { COUNTER: address })
    expect(output).toMatch(/1 tests? passed/)
  })
})
