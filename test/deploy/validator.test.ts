import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testNetwork } from '../network/describeNetwork.ts'
import { sendHttp } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/freePort.ts'
import { type Program, runProgram, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { imageEnv, type Json, kubernetesContainers, makePrograms, podsOf, readYaml } from './files.ts'

/** kubernetes/validator.yaml: a key that is never in two pods, and nothing but peers and probes from outside. */

const documents = readYaml('kubernetes/validator.yaml')
const ofKind = (kind: string): Json => documents.find((one) => one.kind === kind) as Json
const set = ofKind('StatefulSet').spec as Json

describe('what the manifest says', () => {
  test('one pod, ended before the next, with a volume that only one pod can have', () => {
    expect(set).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ spec: { accessModes: ['ReadWriteOncePod'] } }],
    })
    expect(documents.map(({ kind }) => kind)).not.toContain('HorizontalPodAutoscaler')
  })

  test('outside is the port for peers and that of probes: no JSON-RPC, and no RPC of CometBFT', () => {
    const [container] = podsOf('kubernetes/validator.yaml')[0]?.containers ?? []
    expect(container?.ports).toEqual([
      { name: 'p2p', containerPort: 26656 },
      { name: 'metrics', containerPort: 9464 },
    ])
    expect(ofKind('Service').spec).toMatchObject({
      clusterIP: 'None',
      ports: [{ port: 26656, targetPort: 'p2p' }],
    })
    const { env = {} } = kubernetesContainers('kubernetes/validator.yaml')[0] ?? {}
    expect(env).toMatchObject({ PERIHELION_JSON_RPC_ADDRESS: '127.0.0.1:8545' })
    expect(Object.keys(env)).not.toContain('PERIHELION_ENGINE_RPC')
  })

  test('whoever is not named reaches nothing', () => {
    const { podSelector, policyTypes, ingress } = ofKind('NetworkPolicy').spec as {
      podSelector: unknown
      policyTypes: unknown
      ingress: readonly { from: readonly unknown[]; ports: readonly unknown[] }[]
    }
    expect({ podSelector, policyTypes }).toEqual({
      podSelector: { matchLabels: { app: 'validator' } },
      policyTypes: ['Ingress', 'Egress'],
    })
    // A rule without `from` would let everybody in.
    for (const { from, ports } of ingress) expect([from.length, ports.length]).toEqual([1, 1])
  })
})

let folder = ''
const programs: Program[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-pod-'))
  for (const mount of ['data', 'genesis']) mkdirSync(join(folder, mount))
})
afterEach(async () => {
  for (const { child, ended } of programs.splice(0)) {
    child.kill('SIGKILL')
    await ended()
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

const inFolder = (text: string): string => text.replace(/(^|[ \n])\/(data|genesis)(?=\/)/g, `$1${folder}/$2`)

/** Runs the container that makes the home; returns what it says of the node. */
const makeHome = (): { readonly code: number | null; readonly stdout: string } => {
  const [home] = podsOf('kubernetes/validator.yaml')[0]?.initContainers ?? []
  const [program = '', ...args] = [...((home?.command ?? []) as readonly string[]), ...(home?.args ?? [])]
  const { status, stdout } = spawnSync(program, args.map(inFolder), {
    encoding: 'utf8',
    env: { PATH: `${makePrograms(folder)}:${process.env.PATH}`, HOSTNAME: 'validator-0', ...localEnv() },
  })
  return { code: status, stdout }
}

const localEnv = (env: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...imageEnv(), ...env }).map(([name, value]) => [name, inFolder(value)]),
  )

const statusOf = (url: string, path: string) =>
  sendHttp(url, { method: 'GET', path }).then(
    ({ status }) => status,
    () => 0,
  )

testNetwork(
  'the pod makes its key once, waits for a genesis that names it, decides blocks, and answers probes alone',
  slow,
  async () => {
    const made = makeHome()
    expect(made.code).toBe(0)
    const keyFile = join(folder, 'data/home/engine/config/priv_validator_key.json')
    expect(statSync(keyFile).mode & 0o077).toBe(0)
    const [validator] = kubernetesContainers('kubernetes/validator.yaml')
    const metrics = await freePort()
    const env = localEnv({
      ...validator?.env,
      PERIHELION_JSON_RPC_ADDRESS: '127.0.0.1:0',
      PERIHELION_METRICS_ADDRESS: `127.0.0.1:${metrics}`,
      PERIHELION_ENGINE_RPC: `http://127.0.0.1:${await freePort()}`,
      PERIHELION_ENGINE_P2P: `127.0.0.1:${await freePort()}`,
    })
    const args = (validator?.args ?? []).map(inFolder)

    const early = await runToEnd(args, env)
    expect(early).toMatchObject({
      code: 74,
      stderr: expect.stringContaining('the genesis file cannot be read'),
    })

    const genesis = join(folder, 'genesis/genesis.json')
    const identity = join(folder, 'identity.json')
    writeFileSync(identity, made.stdout)
    const account = `0x${'11'.repeat(20)}`
    for (const command of [
      ['new', genesis, '--chain-id', '4242', '--admin', account, '--alloc', `${account}=1`],
      ['add-validator', genesis, '--id', identity, '--reward', account, '--power', '10'],
    ])
      expect(await runToEnd(['genesis', ...command])).toMatchObject({ code: 0 })

    // What a restart of the pod does: the home is there, its key is the same.
    const key = readFileSync(keyFile, 'utf8')
    expect(makeHome()).toEqual(made)
    expect(readFileSync(keyFile, 'utf8')).toBe(key)

    const program = runProgram(args, env)
    programs.push(program)
    const { http = '' } = await program.ready()
    const probes = `http://127.0.0.1:${metrics}`
    expect(await statusOf(probes, '/health')).toBe(200)
    await eventually(async () => (await statusOf(probes, '/ready')) === 200)
    // JSON-RPC is where only the pod is, and has no metrics.
    expect(await statusOf(http, '/metrics')).toBe(405)
    expect(await statusOf(probes, '/')).toBe(404)
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)

    // A volume that lost the key does not get another one.
    rmSync(keyFile)
    expect(makeHome().code).not.toBe(0)
    expect(await runToEnd(args, env)).toMatchObject({ code: 78 })
    expect(existsSync(keyFile)).toBe(false)
  },
)
