import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../src/base/postgres/databaseUrl.ts'
import { engineVersion } from '../../src/engine/cometbft/process/version.ts'
import { settingVariables, unknownFlags } from '../docs/flags.ts'
import {
  type Container,
  composeContainers,
  composeServices,
  deployFiles,
  imageEnv,
  kubernetesContainers,
  type PodSpec,
  podsOf,
  readDeployFile,
  readYaml,
  root,
} from './files.ts'

const yamlFiles = deployFiles.filter((name) => name.endsWith('.yaml'))
const composeFiles = yamlFiles.filter((name) => name.startsWith('compose/'))
const kubernetesFiles = yamlFiles.filter((name) => name.startsWith('kubernetes/'))

/** Flags and variables of a container that are not settings. */
const unknownSettings = ({ args, env }: Container): readonly string[] => [
  ...unknownFlags(`perihelion ${args.join(' ')}`),
  ...Object.keys(env).filter((name) => name.startsWith('PERIHELION_') && !settingVariables.has(name)),
]

test('every YAML file can be read, and there are some of each kind', () => {
  for (const name of yamlFiles) expect(readYaml(name).length).toBeGreaterThan(0)
  expect([composeFiles.length, kubernetesFiles.length]).toEqual([3, 3])
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
  test('is built on images with a tag and a digest, and a Node that package.json allows', () => {
    const images = new Map(
      [...text.matchAll(/^ARG (\w+_IMAGE)=(.*)$/gm)].map(([, name, image]) => [name, image]),
    )
    for (const image of images.values()) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
    const stages: string[] = []
    for (const [, from = '', stage = ''] of text.matchAll(/^FROM (\S+) AS (\w+)$/gm)) {
      const [, argument] = /^\$\{(\w+)\}$/.exec(from) ?? []
      if (argument === undefined) expect(stages).toContain(from)
      else expect([...images.keys()]).toContain(argument)
      stages.push(stage)
    }
    const [, version] = /^node:(\d+)-/.exec(images.get('NODE_IMAGE') ?? '') ?? []
    // 20 is allowed too, but is no longer mended.
    expect(Number(version)).toBeGreaterThanOrEqual(22)
  })
})

describe('images', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const named = yamlFiles.flatMap((name) =>
    [...readDeployFile(name).matchAll(/\bimage: *(\S+)/g)].map(([, image = '']) => [name, image] as const),
  )
  test.each(named)('%s: %s has a tag, and ours that of this version', (_, image) => {
    const [, name, tag] = /^([^:@]+):([^@]+)(?:@sha256:[0-9a-f]{64})?$/.exec(image) ?? []
    expect([undefined, 'latest']).not.toContain(tag)
    if (name === 'perihelion') expect([version, `${version}-validator`]).toContain(tag)
  })
  test('those that the page and the file build are those that the others start', () => {
    const ours = new Set(named.map(([, image]) => image).filter((image) => image.startsWith('perihelion:')))
    const built = (name: string) =>
      new Set([...readDeployFile(name).matchAll(/docker build .*-t (\S+) \./g)].map(([, image]) => image))
    expect(built('README.md')).toEqual(ours)
    expect(built('Dockerfile')).toEqual(ours)
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
    for (const { env } of gateways) expect(env.PERIHELION_JSON_RPC_VHOSTS?.split(',')).toEqual([name])
  })

  test('the gateways share the database that stands beside them', () => {
    const gateways = composeContainers('compose/gateways.yaml')
    const { database } = composeServices('compose/gateways.yaml')
    const made = database?.environment as Readonly<Record<string, string>>
    for (const { env } of gateways) {
      const url = parseDatabaseUrl((env.PERIHELION_GATEWAY_DATABASE ?? '').replace(/\$\{.*\}/, 'secret'))
      expect(url).toMatchObject({
        hosts: [{ host: 'database', port: 5432 }],
        ...{ user: made.POSTGRES_USER, database: made.POSTGRES_DB, password: 'secret' },
      })
    }
  })
})

/** The name of the port at which a container is asked how it is: it listens there for others, by its settings. */
const portOfProbes = ({ ports = [], env = [] }: PodSpec['containers'][number]): string => {
  const setting = (name: string) =>
    env.find((variable) => variable.name === name)?.value ?? imageEnv()[name] ?? ''
  const addresses = [setting('PERIHELION_METRICS_ADDRESS'), setting('PERIHELION_JSON_RPC_ADDRESS')]
  const [, port] = /^0\.0\.0\.0:(\d+)$/.exec(addresses.find((address) => address !== '') ?? '') ?? []
  return ports.find(({ containerPort }) => containerPort === Number(port))?.name ?? `none of ${addresses}`
}

describe('Kubernetes', () => {
  test.each(kubernetesFiles)('%s: probes, rights, and no variables of services', (name) => {
    for (const pod of podsOf(name)) {
      expect(pod).toMatchObject({
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, fsGroupChangePolicy: 'OnRootMismatch' },
      })
      for (const container of pod.containers) {
        const port = portOfProbes(container)
        expect(container).toMatchObject({
          startupProbe: { httpGet: { path: '/health', port } },
          livenessProbe: { httpGet: { path: '/health', port } },
          readinessProbe: { httpGet: { path: '/ready', port } },
        })
      }
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
        expect(container).toMatchObject({
          resources: { requests: {}, limits: {} },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        })
    }
    // What is selected is what there is, by the names that are used.
    const documents = readYaml(name)
    const services = documents
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata }) => (metadata as { name: string }).name)
    for (const { kind, spec, metadata } of documents) {
      const { name: own, labels: { app = own } = {} } = metadata as {
        name: string
        labels?: { app?: string }
      }
      if (kind === 'Service') expect(spec).toMatchObject({ selector: { app } })
      if (kind === 'StatefulSet')
        expect(spec).toMatchObject({
          serviceName: expect.toBeOneOf(services),
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } } },
        })
    }
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
