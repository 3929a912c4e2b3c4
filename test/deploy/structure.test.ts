import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lastingExitCodes } from '../../src/base/exit.ts'
import { engineVersion } from '../../src/engine/cometbft/process/version.ts'
import { settingVariables, unknownFlags } from '../docs/flags.ts'
import { readPage } from '../docs/markdown.ts'
import {
  type Container,
  composeContainers,
  composeServices,
  deployFiles,
  imageEnv,
  kubernetesContainers,
  podsOf,
  readDeployFile,
  readYaml,
  root,
} from './files.ts'

const yamlFiles = deployFiles.filter((name) => name.endsWith('.yaml'))
const composeFiles = yamlFiles.filter((name) => name.startsWith('compose/'))
const kubernetesFiles = yamlFiles.filter((name) => name.startsWith('kubernetes/'))

/** Flags and variables of a container that are no settings. */
const unknownSettings = ({ args, env }: Container): readonly string[] => [
  ...unknownFlags(`perihelion ${args.join(' ')}`),
  ...Object.keys(env).filter((name) => name.startsWith('PERIHELION_') && !settingVariables.has(name)),
]

test('every YAML file can be read, and there are some of each kind', () => {
  for (const name of yamlFiles) expect(readYaml(name).length).toBeGreaterThan(0)
  expect([composeFiles.length, kubernetesFiles.length]).toEqual([3, 2])
})

describe('settings exist', () => {
  test.each([...composeFiles, ...kubernetesFiles])('%s', (name) => {
    const containers = name.startsWith('compose/') ? composeContainers(name) : kubernetesContainers(name)
    expect(containers.length).toBeGreaterThan(0)
    for (const container of containers) expect(unknownSettings(container)).toEqual([])
  })

  test.each(deployFiles)('%s, as text', (name) => {
    expect(unknownFlags(readDeployFile(name))).toEqual([])
    const variables = [...readDeployFile(name).matchAll(/\bPERIHELION_[A-Z0-9_]*[A-Z0-9]\b/g)].map(
      ([text]) => text,
    )
    expect(variables.filter((variable) => !settingVariables.has(variable))).toEqual([])
  })

  test('the check sees others', () => {
    expect(
      unknownSettings({ name: 'x', args: ['start', '--port', '1'], env: { PERIHELION_PORT: '1' } }),
    ).toEqual(['start --port', 'PERIHELION_PORT'])
  })
})

describe('the image', () => {
  const text = readDeployFile('Dockerfile')
  test('runs as nobody in particular, is asked for its health, and gets SIGTERM itself', () => {
    expect(text).toMatch(/^USER node$/m)
    expect(text).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \["node", "-e", ".*\/health/m)
    expect(text).toMatch(/^ENTRYPOINT \["perihelion"\]$/m)
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m)
  })
  test('copies from stages that are there, and has the CometBFT that the program wants', () => {
    const stages = [...text.matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, stage]) => stage)
    for (const [, stage] of text.matchAll(/COPY --from=(\w+)/g)) expect(stages).toContain(stage)
    expect(text).toContain(`cometbft@v${engineVersion}`)
    for (const name of composeFiles)
      for (const { build } of Object.values(composeServices(name)))
        if (build !== undefined) expect(stages).toContain((build as { target: string }).target)
  })
  test('has a Node that package.json allows', () => {
    const [, version] = /^FROM node:(\d+)-slim AS base$/m.exec(text) ?? []
    expect(Number(version)).toBeGreaterThanOrEqual(20)
  })
})

describe('compose', () => {
  test.each(composeFiles)('%s: services and volumes that are named are there', (name) => {
    const [file] = readYaml(name)
    const services = composeServices(name)
    const volumes = Object.keys((file?.volumes ?? {}) as object)
    for (const service of Object.values(services)) {
      const needed = service.depends_on ?? []
      for (const other of Array.isArray(needed) ? needed : Object.keys(needed as object))
        expect(Object.keys(services)).toContain(other)
      for (const volume of (service.volumes ?? []) as readonly string[]) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('./')) expect(deployFiles).toContain(`compose/${source.slice(2)}`)
        else expect(volumes).toContain(source)
      }
    }
  })

  test('the balancer has the gateways, and tells them the name that they know', () => {
    const conf = readDeployFile('compose/nginx.conf')
    const servers = [...conf.matchAll(/^ {2}server (\w+):8545/gm)].map(([, server]) => server)
    const gateways = composeContainers('compose/gateways.yaml')
    expect(servers).toEqual(gateways.map(({ name }) => name))
    expect(conf).toContain('proxy_set_header Host $host;')
    const [, name] = /server_name (\S+);/.exec(conf) ?? []
    // By these names the gateways are called by the balancer and by each other.
    for (const { env } of gateways)
      expect(env.PERIHELION_JSON_RPC_VHOSTS?.split(',')).toEqual([name, ...servers])
  })

  test('the gateways know each other, and each has a number of its own', () => {
    const gateways = composeContainers('compose/gateways.yaml')
    const peers = gateways.map(({ name, env }) => `${env.PERIHELION_GATEWAY_REPLICA}=http://${name}:8545`)
    expect(new Set(gateways.map(({ env }) => env.PERIHELION_GATEWAY_REPLICA)).size).toBe(gateways.length)
    for (const { env } of gateways) expect(env.PERIHELION_GATEWAY_PEERS?.split(',')).toEqual(peers)
  })
})

describe('Kubernetes', () => {
  test.each(kubernetesFiles)('%s: probes, rights, and no variables of services', (name) => {
    for (const pod of podsOf(name)) {
      expect(pod).toMatchObject({
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, fsGroupChangePolicy: 'OnRootMismatch' },
      })
      for (const container of pod.containers)
        expect(container).toMatchObject({
          livenessProbe: { httpGet: { path: '/health', port: 'json-rpc' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'json-rpc' } },
          ports: [{ name: 'json-rpc', containerPort: 8545 }],
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        })
    }
    // What is selected is what there is, by the names that are used.
    for (const { kind, spec, metadata } of readYaml(name)) {
      const app = (metadata as { name: string }).name
      if (kind === 'Service') expect(spec).toMatchObject({ selector: { app } })
      if (kind === 'StatefulSet')
        expect(spec).toMatchObject({
          serviceName: app,
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } } },
        })
    }
  })
})

const services = deployFiles.filter((name) => name.endsWith('.service'))

describe('systemd', () => {
  test('the unit is that of docs/monitoring.md', () => {
    const [, unit] = /```ini\n(.*?)```/s.exec(readPage('docs/monitoring.md')) ?? []
    expect(readDeployFile('systemd/perihelion.service').split('\n').slice(1).join('\n')).toBe(unit)
  })
  test.each(services)('%s starts again after an end that a start can mend, and after no other', (name) => {
    const [, codes = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(readDeployFile(name)) ?? []
    expect(codes.split(' ').map(Number)).toEqual([...lastingExitCodes])
    expect(readDeployFile(name)).toMatch(/^Restart=on-failure$/m)
  })
  test.each(services)('%s is understood', (name) => {
    const lines = readDeployFile(name)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of lines) expect(line).toMatch(/^\[(?:Unit|Service|Install)\]$|^[A-Z]\w+=\S/)
  })
})

test('the image has the address, home and port that the files count on', () => {
  expect(imageEnv()).toEqual({
    PERIHELION_HOME: '/data/home',
    PERIHELION_JSON_RPC_ADDRESS: '0.0.0.0:8545',
    PERIHELION_JSON_RPC_WS_ADDRESS: '',
  })
})

test('shell scripts have no mistake of syntax', () => {
  for (const name of deployFiles.filter((file) => file.endsWith('.sh')))
    expect(spawnSync('sh', ['-n', join(root, 'deploy', name)]).status).toBe(0)
})
