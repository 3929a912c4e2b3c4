import { readdirSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { examine } from '../../../src/service/doctor/doctor.ts'
import { isolatedFlags, runProgram, runToEnd } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

describe('perihelion doctor before a gateway', () => {
  let home: string
  const replays: Replay[] = []
  const servers: Server[] = []

  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(async () => {
    for (const replay of replays.splice(0)) await replay.close()
    for (const server of servers.splice(0)) server.close().closeAllConnections()
    rmSync(home, { recursive: true, force: true })
  })

  const upstream = async (nativeChainId: string, length = 12, faults: Faults = {}): Promise<string> => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', seed: 1, length, nativeChainId })
    const replay = await startReplay({ chain, faults })
    replays.push(replay)
    return replay.url
  }
  const flagsOf = (...flags: readonly string[]) => [...isolatedFlags(home), '--min-free-space=1MB', ...flags]
  const examineNodes = (nodes: readonly string[], ...flags: readonly string[]) => {
    const all = flagsOf(`--gateway.node=${nodes.join(',')}`, ...flags)
    return examine(loadConfig({ flags: all, env: {}, purpose: 'gateway' }), 'gateway')
  }
  /** The findings about the nodes and their chain, each as its level and text. */
  const find = async (nodes: readonly string[], ...flags: readonly string[]): Promise<readonly string[]> => {
    const findings = await examineNodes(nodes, ...flags)
    return findings
      .filter(({ check }) => ['upstream', 'chain', 'trust'].includes(check))
      .map(({ check, level, text }) => `${level} ${check} ${text}`)
  }

  test('detects the chain as a start does, and changes nothing', async () => {
    const findings = await find([await upstream('one-1')])
    expect(findings).toEqual([
      expect.stringMatching(/^ok upstream .* of one-1 at height 12$/),
      'ok chain one-1: family cosmos-evm-0.7, chain id 262144',
    ])
    expect(readdirSync(home)).toEqual([])
  })

  test('finds nodes of two chains, and settings that the chain contradicts', async () => {
    const [one, two] = [await upstream('one-1'), await upstream('two-1')]
    expect(await find([one, two])).toContainEqual(
      `problem upstream ${two}: it is a node of chain two-1, not of one-1`,
    )
    expect(await find([one], '--gateway.chain-id=9001')).toContainEqual(
      expect.stringMatching(/^problem chain gateway\.chain-id has the chain id 9001/),
    )
    expect(await find([one], '--gateway.native-chain-id=other-1')).toContainEqual(
      expect.stringMatching(/^problem chain no node can be used/),
    )
  })

  test('takes a URL with a user, and does not show it', async () => {
    const one = (await upstream('one-1')).replace('//', '//us3r:pa55word@')
    const findings = await find([one])
    expect(findings.map((text) => text.split(' ', 2).join(' '))).toEqual(['ok upstream', 'ok chain'])
    expect(findings.join()).not.toMatch(/us3r|pa55word/)
  })

  test('gives keys to no other host, and reads no endless answer', async () => {
    const asked: string[] = []
    const listen = async (answer: (response: ServerResponse) => void): Promise<string> => {
      const server = createHttpServer((request, response) => {
        asked.push(`${request.headers['x-api-key']}`)
        request.resume()
        answer(response)
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const other = await listen((response) => response.end('{}'))
    const sending = await listen((response) => response.writeHead(307, { location: other }).end())
    expect(await find([sending], '--gateway.header=X-Api-Key: k3y')).toContainEqual(
      `problem upstream ${sending}: it answers 307, which sends to another address: name that one`,
    )
    expect(asked).toEqual(['k3y'])
    const long = await listen((response) => response.end(`"${'x'.repeat(1_000_000)}"`))
    expect(await find([long])).toContainEqual(
      `problem upstream ${long}: its response is larger than 1000000 bytes`,
    )
  })

  test('asks gRPC in its own words', async () => {
    const one = await upstream('one-1')
    const [replay] = replays
    expect(await find([one], `--gateway.grpc=${replay?.grpcAddress}`)).toContainEqual(
      `ok upstream gRPC ${replay?.grpcAddress} answers`,
    )
    // CometBFT's own port takes connections too.
    const { host } = new URL(one)
    expect(await find([one], `--gateway.grpc=${host}`)).toContainEqual(
      expect.stringContaining(`warning upstream gRPC ${host}: `),
    )
  })

  /** Returns what is found about a gRPC that refuses everything, with its remedy. */
  const examineRefusing = async (code: number, message: string): Promise<readonly string[]> => {
    const server = createServer()
    server.on('stream', (stream) => {
      const kind = { ':status': 200, 'content-type': 'application/grpc' }
      stream.respond({ ...kind, 'grpc-status': code, 'grpc-message': message }, { endStream: true })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
      const findings = await examineNodes([await upstream('one-1')], `--gateway.grpc=${address}`)
      return findings
        .filter(({ text }) => text.startsWith(`gRPC ${address}: `))
        .map(({ level, text, remedy }) => `${level}: ${text.slice(`gRPC ${address}: `.length)}: ${remedy}`)
    } finally {
      server.close()
    }
  }

  test.each([1, 4, 7, 14, 16])('takes no refusal of gRPC (%i) for an answer', async (code) => {
    expect(await examineRefusing(code, '')).toEqual([
      expect.stringMatching(/^warning: .*correct --gateway\.grpc/),
    ])
  })

  test('says what to do where gRPC has too many calls, or takes only small messages', async () => {
    expect(await examineRefusing(8, 'quota of this key')).toEqual([
      expect.stringMatching(/^warning: the node wants fewer calls.*: raise the rate limit/),
    ])
    expect(await examineRefusing(8, 'trying to send message larger than max (500 vs. 100)')).toEqual([
      expect.stringMatching(/^warning: trying to send message larger than max.*max-send-msg-size/),
    ])
  })

  test('compares the trusted block', async () => {
    const one = await upstream('one-1')
    const trusting = (height: number, hash: string) =>
      find([one], `--gateway.trust-height=${height}`, `--gateway.trust-hash=${hash}`)
    const wrong = (await trusting(5, 'ab'.repeat(32))).at(-1) ?? ''
    expect(wrong).toMatch(
      /^problem trust block 5 is 0x[0-9a-f]{64} at the nodes, and not gateway\.trust-hash/,
    )
    const hash = /0x[0-9a-f]{64}/.exec(wrong)?.[0] ?? ''
    expect(await trusting(5, hash)).toContainEqual('ok trust block 5 is the trusted one')
    expect(await trusting(5_000, hash)).toContainEqual(
      'problem trust gateway.trust-height is 5000, and the chain is at 12',
    )
    expect(await trusting(13, hash)).toContainEqual(
      'warning trust gateway.trust-height is 13, and the chain is at 12: a start waits for it',
    )
  })

  test('looks for the trusted block at all nodes, as a start does', async () => {
    const [late, one] = [await upstream('one-1', 100, { back: 88 }), await upstream('one-1', 100)]
    const trusting = async (nodes: readonly string[], height: number) =>
      (await find(nodes, `--gateway.trust-height=${height}`, `--gateway.trust-hash=${'ab'.repeat(32)}`)).at(
        -1,
      )
    expect(await trusting([late, one], 90)).toMatch(/^problem trust block 90 is 0x[0-9a-f]{64} at the nodes/)
    expect(await trusting([late], 90)).toBe(
      'problem trust gateway.trust-height is 90, and the chain is at 12',
    )
    const catchingUp = await upstream('one-1', 12, {
      alter: (method, result) => {
        if (method !== 'status') return result
        const { sync_info, ...others } = result as { sync_info: object }
        return { ...others, sync_info: { ...sync_info, catching_up: true } }
      },
    })
    expect(await trusting([catchingUp], 90)).toBe(
      'warning trust gateway.trust-height is 90, and the chain is at 12: a start waits for it',
    )
  })

  test('knows the home of a gateway, as other commands do', slow, async () => {
    const one = await upstream('one-1')
    const program = runProgram(['gateway', ...flagsOf('--node', one)])
    await program.ready()
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(await find([one])).toContainEqual(expect.stringMatching(/^ok chain one-1/))
    expect(await find([await upstream('two-1')])).toContainEqual(
      expect.stringMatching(/^problem chain .* has blocks of chain one-1, and the nodes are of chain two-1/),
    )
    const say = async (...args: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await runToEnd(args)
      return `${stdout}${stderr}`
    }
    expect(await say('doctor', ...flagsOf())).toMatch(/problem +settings +gateway\.node: none is given/)
    const command = `perihelion gateway --home ${home} --node URL`
    expect(await say('status', '--home', home)).toContain(command)
    expect(await say('start', ...flagsOf())).toContain(
      `is the home of a gateway: start it with \`${command}\``,
    )
    expect(await say('rollback', '--home', home)).toContain('nothing can be reverted here')
  })
})
