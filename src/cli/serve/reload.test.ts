import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { Service } from '../../service/start/startService.ts'
import { Reloader } from './reload.ts'

const configOf = (...flags: readonly string[]): Config => loadConfig({ flags }).config

const setUp = (first: Config, isOpen = true) => {
  const facts = { lines: [] as unknown[], level: '', reloaded: [] as Config[], peers: [] as string[] }
  let next: () => Promise<Config> = async () => first
  const log = {
    info: (members: object, message: string) => void facts.lines.push([message, members]),
    error: (members: object, message: string) => void facts.lines.push([message, members]),
    warn: (members: object, message: string) => void facts.lines.push([message, members]),
    setLevel: (level: string) => {
      facts.level = level
    },
  }
  const control = {
    addPeer: async (peer: string) => facts.peers.push(`+${peer}`) > 0,
    removePeer: async (peer: string) => facts.peers.push(`-${peer}`) > 0,
  }
  const service = {
    served: { chain: { control } },
    reload: async (config: Config) => void facts.reloaded.push(config),
  } as unknown as Service // what a reload uses
  let opened = isOpen ? service : undefined
  const reloader = new Reloader(first, { load: () => next(), service: () => opened, log: log as never })
  return {
    facts,
    open: () => {
      opened = service
      return reloader.apply(service)
    },
    reload: (load: () => Promise<Config>) => {
      next = load
      return reloader.reload()
    },
  }
}

const a = `${'aa'.repeat(20)}@10.0.0.1:26656`
const b = `${'bb'.repeat(20)}@10.0.0.2:26656`

test('takes what can be changed, and says what changed and what needs a restart', async () => {
  const { facts, reload } = setUp(configOf(`--persistent-peers=${a}`))
  const after = configOf(
    '--json-rpc.cors=https://app.example',
    '--log.level=debug',
    '--pruning=everything',
    `--persistent-peers=${b}`,
  )
  await reload(async () => after)
  expect(facts.reloaded).toEqual([after])
  expect(facts.level).toBe('debug')
  expect(facts.peers).toEqual([`+${b}`, `-${a}`])
  expect(facts.lines).toEqual([
    [
      'the settings were read again: some of them need a restart',
      {
        changed: ['persistent-peers', 'log.level', 'json-rpc.cors'],
        needRestart: ['pruning'],
        filesRead: [],
      },
    ],
  ])
  // What needs a restart is reported until it is there.
  await reload(async () => after)
  expect(facts.lines[1]).toMatchObject([expect.any(String), { changed: [], needRestart: ['pruning'] }])
})

test('changes nothing where the settings are wrong', async () => {
  const { facts, reload } = setUp(configOf())
  await reload(async () => configOf('--json-rpc.rate-limit=10', '--json-rpc.rate-limit-burst=0'))
  expect(facts.reloaded).toEqual([])
  expect(facts.lines).toEqual([
    [
      'the settings were not read again: everything stays as it was',
      { reason: expect.stringContaining('rate-limit-burst') },
    ],
  ])
})

test('serving with TLS begins and ends with a restart', async () => {
  const { facts, reload } = setUp(configOf())
  await reload(async () => configOf('--json-rpc.tls-cert=/c', '--json-rpc.tls-key=/k'))
  expect(facts.lines).toMatchObject([
    [expect.any(String), { changed: ['json-rpc.tls-key'], needRestart: ['json-rpc.tls-cert'] }],
  ])
})

test('what is read during the start holds for the service that opens after it', async () => {
  const { facts, reload, open } = setUp(configOf(`--persistent-peers=${a}`), false)
  const after = configOf('--json-rpc.cors=https://app.example', `--persistent-peers=${b}`)
  let applied: Promise<void> | undefined
  await reload(async () => {
    // It opens while the settings are being read.
    applied = open()
    return after
  })
  await applied
  expect(facts.reloaded).toEqual([after])
  expect(facts.peers).toEqual([`+${b}`, `-${a}`])
})

test('a service that opens without a reload is left as it is', async () => {
  const { facts, open } = setUp(configOf(), false)
  await open()
  expect(facts.reloaded).toEqual([])
})
