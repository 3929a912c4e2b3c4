import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Replay, startReplay } from '../gateway/replay/server/server.ts'
import { SyntheticChain } from '../gateway/replay/synthetic.ts'
import { testNetwork } from '../network/describeNetwork.ts'
import { sendHttp } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { type Program, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import {
  type Container,
  composeContainers,
  imageEnv,
  kubernetesContainers,
  makePrograms,
  readDeployFile,
  readYaml,
  root,
} from './files.ts'

/** The genesis of docs/chain.md, as a ConfigMap would hold it. */
const genesis = /```json\n(.*?)```/s.exec(readFileSync(join(root, 'docs/chain.md'), 'utf8'))?.[1] ?? ''

let folder = ''
const programs: Program[] = []
let chain: Replay | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-deploy-'))
})
afterEach(async () => {
  for (const { child, ended } of programs.splice(0)) {
    child.kill('SIGKILL')
    await ended()
  }
  await chain?.close()
  chain = undefined
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** A path of the container as one of this machine, an address as one with a free port. */
const toLocal = (text: string): string =>
  text
    .replace(/^\/(data|genesis|network|var\/lib)(?=\/)/, `${folder}/$1`)
    .replace(/^0\.0\.0\.0:8545$/, '127.0.0.1:0')
    // Nothing listens there: a gateway serves while its database is away.
    .replace(/^postgres:.*|^a secret$/, 'postgres://perihelion@127.0.0.1:1/gateways')
    .replace(/^\$\{CHAIN_NODE:.*\}$|^http:\/\/[\w.-]+:26657$/, () => chain?.url ?? '')

const start = ({ args, env }: Pick<Container, 'args' | 'env'>): Program => {
  const settings = Object.entries({ ...imageEnv(), ...env }).map(([name, value]) => [name, toLocal(value)])
  const program = runProgram(args.map(toLocal), Object.fromEntries(settings))
  programs.push(program)
  return program
}

/** What the probes and the end of a container see: health, readiness, and SIGTERM. */
const expectToServe = async (program: Program): Promise<void> => {
  const { http = '' } = await program.ready()
  const get = async (path: string) => (await sendHttp(http, { method: 'GET', path })).status
  expect(await get('/health')).toBe(200)
  await eventually(async () => (await get('/ready')) === 200)
  program.child.kill('SIGTERM')
  expect(await program.ended()).toBe(0)
}

const startChain = async (): Promise<void> => {
  chain = await startReplay({
    chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 3, content: { transactions: 1 } }),
  })
}

describe('what the containers run serves, and ends on a signal', () => {
  test('compose/node.yaml', async () => {
    const [node] = composeContainers('compose/node.yaml')
    await expectToServe(start(node as Container))
  })
  test('compose/gateways.yaml', slow, async () => {
    await startChain()
    const [gateway] = composeContainers('compose/gateways.yaml')
    await expectToServe(start(gateway as Container))
  })
  test('kubernetes/node.yaml', slow, async () => {
    mkdirSync(join(folder, 'genesis'))
    writeFileSync(join(folder, 'genesis', 'genesis.json'), genesis)
    const [node] = kubernetesContainers('kubernetes/node.yaml')
    await expectToServe(start(node as Container))
  })
  test('kubernetes/gateway.yaml', slow, async () => {
    await startChain()
    const [gateway] = kubernetesContainers('kubernetes/gateway.yaml')
    await expectToServe(start(gateway as Container))
  })
  test('systemd/perihelion-gateway.service', slow, async () => {
    await startChain()
    const [, command = ''] =
      /^ExecStart=\/usr\/bin\/node \/opt\/perihelion\/dist\/cli\/main\.js (.*)$/m.exec(
        readDeployFile('systemd/perihelion-gateway.service'),
      ) ?? []
    await expectToServe(start({ args: command.split(' '), env: {} }))
  })
})

test('a name that another container calls by is served, and no other', async () => {
  const [node] = composeContainers('compose/node.yaml')
  const program = start(node as Container)
  const { http = '' } = await program.ready()
  const statusFor = async (host: string) =>
    (
      await sendHttp(http, {
        headers: { Host: host, 'Content-Type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
      })
    ).status
  expect(await statusFor('node:8545')).toBe(200)
  expect(await statusFor('elsewhere:8545')).toBe(403)
})

test('the health check of the image tells a node that answers from none', slow, async () => {
  const [, script = ''] = /CMD \["node", "-e", "(.*)"\]$/m.exec(readDeployFile('Dockerfile')) ?? []
  const [node] = composeContainers('compose/node.yaml')
  const { http = '' } = await start(node as Container).ready()
  const check = (url: string) =>
    spawnSync(process.execPath, ['-e', script.replace('http://127.0.0.1:8545', url)]).status
  // The node is another process: it answers while this one waits.
  expect(check(http)).toBe(0)
  expect(check('http://127.0.0.1:1')).toBe(1)
})

test('the step of GitHub Actions leaves a node whose address the next steps know', async () => {
  const { jobs } = readYaml('github-actions/test.yaml')[0] as {
    jobs: { test: { steps: readonly { name?: string; run?: string }[] } }
  }
  const step = jobs.test.steps.find(({ name }) => name === 'Start a node')?.run ?? ''
  const bin = makePrograms(folder, { npx: 'exec "$@"' })
  const file = join(folder, 'env')
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', step], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, GITHUB_ENV: file },
    stdio: 'ignore',
    // What it leaves behind ends with its group.
    detached: true,
  })
  try {
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    const [, url = ''] = /^RPC_URL=(.*)$/m.exec(readFileSync(file, 'utf8')) ?? []
    expect((await sendHttp(url, { method: 'GET', path: '/health' })).status).toBe(200)
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  await eventually(() => readFileSync(join(folder, 'node.log'), 'utf8').includes('"stopped"'))
})

testNetwork(
  'the homes of compose/validators.yaml name each other as hosts, and a validator starts from one',
  slow,
  async () => {
    const bin = makePrograms(folder)
    const network = join(folder, 'network')
    mkdirSync(network)
    const script = join(root, 'deploy/compose/make-network.sh')
    const run = async (): Promise<unknown> => {
      const child = spawn(script, [network], {
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOME: folder },
        stdio: 'inherit',
      })
      return (await once(child, 'close'))[0]
    }
    expect(await run()).toBe(0)
    const configOf = (index: number) => join(network, `nodes/node${index}/engine/config/config.toml`)
    for (const index of [0, 1, 2, 3]) {
      const [, peers = ''] = /^persistent_peers = "(.*)"$/m.exec(readFileSync(configOf(index), 'utf8')) ?? []
      const hosts = peers.split(',').map((peer) => peer.split('@')[1])
      const others = [0, 1, 2, 3].filter((other) => other !== index)
      expect(hosts).toEqual(others.map((other) => `validator${other}:26656`))
      expect(readFileSync(configOf(index), 'utf8')).toContain('laddr = "tcp://0.0.0.0:26656"')
    }
    const before = readFileSync(configOf(0), 'utf8')
    expect(await run()).toBe(0)
    expect(readFileSync(configOf(0), 'utf8')).toBe(before)
    // There are no such hosts here, and the port may be taken: this one listens elsewhere, and waits for the others.
    writeFileSync(configOf(0), before.replace('tcp://0.0.0.0:26656', 'tcp://127.0.0.1:0'))
    const [validator] = composeContainers('compose/validators.yaml')
    const program = start(validator as Container)
    const { http = '' } = await program.ready()
    expect((await sendHttp(http, { method: 'GET', path: '/health' })).status).toBe(200)
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
  },
)
