import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseGwei } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { splitRlp } from '../../src/base/encoding/rlp.ts'
import { decodeBlock, encodeBlock } from '../../src/chain/block/block.ts'
import { postJson } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const dev = mnemonicToAccount('test test test test test test test test test test test junk')
/** Stores 7 at slot 1 and leaves one byte of code. */
const initCode = '0x600760015560006000526001601ff3'
const chainId = 4_711

describe('perihelion export and import', () => {
  let folder: string
  const programs: Program[] = []
  const start = (args: readonly string[]): Program => {
    const program = runProgram(args)
    programs.push(program)
    return program
  }
  const finish = async (...args: string[]): Promise<string> => {
    const program = start(args)
    const code = await program.ended()
    if (code !== 0) throw new Error(`ended with ${code}: ${program.stderr()}`)
    return program.stdout()
  }
  const serve = async (home: string, ...flags: string[]) => {
    const program = start(['start', ...isolatedFlags(home), ...flags])
    const { http = '', ...ready } = await program.ready()
    const call = async (method: string, ...params: unknown[]) => {
      const text = await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      const { result, error } = JSON.parse(text) as { result: unknown; error?: { message: string } }
      if (error) throw new Error(error.message)
      return result as string
    }
    const stop = async (): Promise<void> => {
      program.child.kill('SIGTERM')
      await program.ended()
    }
    return { ready, call, stop }
  }
  const sign = (nonce: number, rest: { to?: `0x${string}`; data?: `0x${string}` }) =>
    dev.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas: 200_000n,
      value: 5n,
      maxFeePerGas: parseGwei('10'),
      maxPriorityFeePerGas: parseGwei('1'),
      ...rest,
    })
  const hashOf = (line: string): string | undefined => /hash=(0x[0-9a-f]{64})/.exec(line)?.[1]

  beforeEach(() => {
    folder = temporaryHome()
  })
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL')
      await ended()
    }
    rmSync(folder, { recursive: true, force: true })
  })

  /** A chain of its own with a contract and transfers, written to files; its head's hash. */
  const makeFiles = async (...flags: string[]): Promise<string> => {
    const node = await serve(join(folder, 'own'), `--chain-id=${chainId}`, ...flags)
    const raws = [await sign(0, { data: initCode })]
    for (let nonce = 1; nonce <= 6; nonce++) raws.push(await sign(nonce, { to: dev.address }))
    for (const raw of raws) await node.call('eth_sendRawTransaction', raw)
    await eventually(
      async () => (await node.call('eth_getTransactionCount', dev.address, 'latest')) === '0x7',
    )
    await node.stop()
    return hashOf(await finish('export', '--home', join(folder, 'own'), '--out', folder)) ?? ''
  }
  const importFiles = (home: string, file = 'chain.rlp') =>
    finish(
      'import',
      '--genesis',
      join(folder, 'genesis.json'),
      join(folder, file),
      '--home',
      join(folder, home),
    )

  test('a chain that is written and read again has the same head, and is served', slow, async () => {
    const hash = await makeFiles()
    const line = await importFiles('again')
    expect(hashOf(line)).toBe(hash)
    expect(line).toContain('blocks=7 transactions=7')

    const node = await serve(join(folder, 'again'), '--engine=none', '--json-rpc.api=eth,net,txpool')
    expect(node.ready).toMatchObject({ chain: String(chainId), height: '7' })
    expect(await node.call('eth_chainId')).toBe('0x1267')
    expect(await node.call('net_version')).toBe('4711')
    const block = (await node.call('eth_getBlockByNumber', 'latest', false)) as unknown as { hash: string }
    expect(block.hash).toBe(hash)
    const sent = await node.call('eth_sendRawTransaction', await sign(7, { to: dev.address }))
    expect(await node.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await node.call('eth_blockNumber')).toBe('0x7')
    expect(await node.call('eth_getTransactionReceipt', sent)).toBeNull()
    expect(await node.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await node.stop()

    expect(await finish('export', '--home', join(folder, 'again'), '--out', join(folder, 'out'))).toContain(
      hash,
    )
    for (const file of ['chain.rlp', 'genesis.json'])
      expect(readFileSync(join(folder, 'out', file))).toEqual(readFileSync(join(folder, file)))
  })

  test(
    'blocks faster than once a second repeat their times, which the genesis file says; .gz is unpacked',
    slow,
    async () => {
      const hash = await makeFiles('--block-time=100ms')
      const genesis = JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')) as { config: object }
      expect(genesis.config).toMatchObject({ perihelion: { timesMayRepeat: true } })
      writeFileSync(join(folder, 'packed.rlp.gz'), gzipSync(readFileSync(join(folder, 'chain.rlp'))))
      expect(hashOf(await importFiles('again', 'packed.rlp.gz'))).toBe(hash)
    },
  )

  test(
    'a chain of an engine under rules from before the merge has no work and no rewards',
    slow,
    async () => {
      const node = await serve(join(folder, 'own'), '--fork-name=berlin')
      const [from] = (await node.call('eth_accounts')) as unknown as string[]
      const sent = { from, gas: '0x30d40', gasPrice: '0x77359400', value: '0x1' }
      await node.call('eth_sendTransaction', { ...sent, data: initCode })
      await node.call('eth_sendTransaction', { ...sent, to: dev.address })
      await node.stop()
      const head = hashOf(await finish('export', '--home', join(folder, 'own'), '--out', folder))
      expect(hashOf(await importFiles('again'))).toBe(head)
    },
  )

  test('a home of CometBFT is refused, whose engine would not know of the blocks', async () => {
    const home = join(folder, 'validator')
    const chain = join(folder, 'chain.rlp')
    mkdirSync(home)
    writeFileSync(join(home, 'mode.json'), '{ "version": 1, "engine": "cometbft", "dev": false }')
    writeFileSync(chain, '')
    const program = start(['import', chain, '--home', home])
    expect([await program.ended(), program.stderr()]).toEqual([78, expect.stringContaining('by state sync')])
    expect(existsSync(join(home, 'data'))).toBe(false)
  })

  test('what is wrong is one line and an exit code', slow, async () => {
    await makeFiles()
    const end = async (...args: string[]) => {
      const program = start(args)
      return { code: await program.ended(), error: program.stderr() }
    }
    const home = join(folder, 'again')
    const chain = join(folder, 'chain.rlp')
    expect(await end('import', chain, '--home', home)).toEqual({
      code: 64,
      error: 'perihelion: the home has no chain yet: --genesis names the file that it begins with\n',
    })
    expect((await end('import', join(folder, 'none'), '--home', home)).code).toBe(74)
    const rlps = splitRlp(readFileSync(chain))
    const last = decodeBlock(rlps.pop() as Uint8Array)
    const header = { ...last.header, stateRoot: new Uint8Array(32) }
    writeFileSync(chain, Buffer.concat([...rlps, encodeBlock({ ...last, header })]))
    const genesis = join(folder, 'genesis.json')
    const wrong = await end('import', '--genesis', genesis, chain, '--home', home)
    expect(wrong.code).toBe(74)
    expect(wrong.error).toMatch(/^perihelion: block 7: stateRoot: expected 0x[0-9a-f]{64}, got 0x0{64}\n$/)
    expect((await end('export', '--home', join(folder, 'nowhere'), '--out', folder)).code).toBe(74)
  })
})
