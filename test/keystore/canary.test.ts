import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveMnemonicKeys } from '../../src/keystore/wallets/mnemonic.ts'
import { loadSecret } from '../../src/rpc/access/secret.ts'
import { sendHttp, sendIpc, sendWs } from '../support/clients.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { forgeToken } from '../support/rpc/forgeToken.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { Canaries } from './canaries.ts'

/** Secrets go through every door that takes one, in good calls and bad, and are then looked for everywhere. */

const canaries = new Canaries()
const phrase = canaries.phrase('passphrase')
const wrong = canaries.phrase('wrong passphrase')
const pairing = canaries.phrase('pairing password')
const key = canaries.key('private key')
const mnemonic = canaries.add('mnemonic', generateMnemonic(wordlist))
for (const [index, one] of deriveMnemonicKeys(mnemonic, 2).entries())
  canaries.add(`key ${index} of the mnemonic`, Buffer.from(one).toString('hex'))

let home: string
let folder: string
let program: Program
let http = ''
let ws = ''
/** What came back, without results: those may hold what was asked for. */
const errors: string[] = []

const scrub = (answer: string): void => {
  try {
    for (const { error } of [JSON.parse(answer)].flat() as { error?: unknown }[])
      errors.push(JSON.stringify(error ?? ''))
  } catch {
    errors.push(answer)
  }
}

const auth = (): Record<string, string> => ({
  Authorization: `Bearer ${canaries.add('token', forgeToken({ claims: { iat: 0 }, secret: loadSecret(home) }))}`,
})

const post = async (body: string, headers: Record<string, string>, path = '/'): Promise<void> => {
  const answer = await sendHttp(http, {
    body,
    path,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
  scrub(answer.body)
}

/** Through every door: with a token, without one, over HTTP, WebSocket and IPC. */
const everywhere = async (body: string): Promise<void> => {
  await post(body, auth())
  await post(body, {})
  scrub(await sendWs(ws, body, { headers: auth() }))
  scrub(await sendIpc(join(home, 'perihelion.ipc'), body.replaceAll('\n', ' ')))
}

const call = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const answer = await sendIpc(join(home, 'perihelion.ipc'), call(method, params))
  scrub(answer)
  return (JSON.parse(answer) as { result?: unknown }).result
}

beforeAll(async () => {
  home = temporaryHome()
  folder = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
  program = runProgram(['start', ...isolatedFlags(home), '--lightkdf', '--log.level=trace', '--accounts=2'], {
    PERIHELION_MNEMONIC: mnemonic,
  })
  const ready = await program.ready()
  http = ready.http ?? ''
  ws = ready.ws ?? ''
})

afterAll(async () => {
  program.child.kill('SIGKILL')
  await program.ended()
  for (const path of [home, folder]) rmSync(path, { recursive: true, force: true })
})

test('the search finds what is there', () => {
  const hex = Buffer.from(key, 'hex')
  for (const text of [
    `got ${phrase}`,
    JSON.stringify({ params: [phrase] }),
    Buffer.from(phrase).toString('hex'),
    Buffer.from(phrase).toString('base64'),
    phrase.slice(0, 15),
  ])
    expect(canaries.in(text), text).toEqual(['passphrase'])
  for (const text of [
    key.toUpperCase(),
    `0x${key.slice(0, 40)}…`,
    hex.toString('latin1'),
    `[${[...hex].join(',')}]`,
  ])
    expect(canaries.in(text), text).toEqual(['private key'])
  expect(canaries.in('nothing at all')).toEqual([])
  writeFileSync(join(folder, 'planted'), phrase)
  expect(canaries.inFolder(folder)).toEqual([`${join(folder, 'planted')}: passphrase`])
  rmSync(join(folder, 'planted'))
})

test('good calls', async () => {
  const account = await ask('personal_newAccount', phrase)
  expect(account).toMatch(/^0x/)
  const imported = await ask('personal_importRawKey', key, phrase)
  expect(imported).toMatch(/^0x/)
  expect(await ask('personal_unlockAccount', account, phrase, 5)).toBe(true)
  expect(await ask('personal_sign', '0x00', imported, phrase)).toMatch(/^0x/)
  const dev = ((await ask('eth_accounts')) as string[])[0]
  const transfer = { from: dev, to: imported, value: '0xde0b6b3a7640000' }
  expect(await ask('personal_sendTransaction', transfer, '')).toMatch(/^0x/)
  const whole = { from: imported, to: dev, gas: '0x5208', gasPrice: '0x77359400', nonce: '0x0' }
  expect(await ask('personal_signTransaction', whole, phrase)).toHaveProperty('raw')
  expect(await ask('personal_sendTransaction', { from: imported, to: dev }, phrase)).toMatch(/^0x/)
  const walletKey = (await ask('personal_initializeWallet', 'keystore://canary')) as string
  canaries.add('key of the wallet', walletKey.slice(2))
  expect(await ask('personal_openWallet', 'keystore://canary', pairing)).toBeNull()
  expect(await ask('personal_deriveAccount', 'keystore://canary', 'm/0', true)).toHaveProperty('address')
  expect(await ask('personal_unpair', 'keystore://canary', pairing)).toBeNull()
})

describe('bad calls', () => {
  const address = `0x${'11'.repeat(20)}`
  const transfer = { from: address, to: address }
  const methods: readonly (readonly [string, readonly unknown[]])[] = [
    ['personal_newAccount', [phrase]],
    ['personal_importRawKey', [key, phrase]],
    ['personal_unlockAccount', [address, phrase, 1]],
    ['personal_sendTransaction', [transfer, phrase]],
    ['personal_signTransaction', [transfer, phrase]],
    ['personal_sign', ['0x00', address, phrase]],
    ['personal_openWallet', ['keystore://canary', wrong]],
    ['personal_unpair', ['keystore://canary', wrong]],
    ['personal_noSuchMethod', [phrase, key]],
  ]

  test.each(methods)(
    '%s',
    async (method, params) => {
      const bodies = [
        // The order mixed up, the types wrong, too many, too few, by name, deep inside.
        call(method, [...params].reverse()),
        call(method, [phrase, key, wrong]),
        call(
          method,
          params.map((value) => [value]),
        ),
        call(
          method,
          params.map((value) => ({ value })),
        ),
        call(
          method,
          params.map((value) => ({ [String(value)]: 1 })),
        ),
        call(method, [...params, phrase, key]),
        call(method, [`${key}00`, phrase.repeat(3)]),
        call(method, [{ from: key, to: phrase, value: phrase }, phrase]),
        call(method, { passphrase: phrase, key }),
        call(method, phrase),
        call(method, [`0x${key}`, phrase, phrase]),
        `[${call(method, [...params].reverse())},${call(method, [phrase])},${call('eth_blockNumber', [])}]`,
      ]
      for (const body of bodies) await everywhere(body)
    },
    120_000,
  )

  test('what is hardly a call', async () => {
    const good = call('personal_newAccount', [phrase])
    const bodies = [
      good.slice(0, -2),
      `${good},`,
      `{"jsonrpc":"2.0","id":1,"method":"personal_newAccount","params":["${phrase}"}`,
      good.replace('"params"', '"params":[],"params"'),
      good.replace('"params"', '"Params"'),
      JSON.stringify([[phrase]]),
      JSON.stringify(phrase),
      `${phrase}${key}`,
    ]
    for (const body of bodies) {
      await post(body, auth())
      scrub(await sendWs(ws, body, { headers: auth() }))
      await post(body, { 'Content-Type': 'text/plain' })
    }
    const raw = `personal_unlockAccount=${phrase}`
    await post(raw, { 'Content-Type': 'application/x-www-form-urlencoded' })
    for (const header of ['Authorization', 'Host', 'Origin', 'X-Api-Key', 'Cookie', 'User-Agent'])
      await post(good, { [header]: phrase })
    await post(good, { Authorization: `Bearer ${phrase}.${key}.x` })
    await post(good, {}, `/${phrase}?password=${phrase}&key=${key}`)
    await sendHttp(http, { method: 'GET', path: `/${phrase}?key=${key}` })
    await sendHttp(http, { method: 'PUT', path: `/${key}`, body: good })
  })
})

test('the command line', slow, async () => {
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const cliPhrase = canaries.phrase('password in a file')
  const cliKey = canaries.key('private key in a file')
  const password = file('password', `${cliPhrase}\n`)
  const other = file('other', wrong)
  const raw = file('raw', cliKey)
  const badKey = file('badKey', `${cliKey}0`)
  const badJson = file('badJson', `{"crypto": "${cliKey}`)
  const outputs: string[] = []
  const account = async (...args: readonly string[]): Promise<number | NodeJS.Signals> => {
    const started = runProgram(['account', ...args, '--home', home])
    const code = await started.ended()
    outputs.push(started.stdout(), started.stderr())
    return code
  }
  expect(await account('import', raw, '--password-file', password, '--lightkdf')).toBe(0)
  const address = /0x[0-9a-f]{40}/.exec(outputs.join(''))?.[0] ?? ''
  expect(await account('new', '--password-file', password, '--lightkdf')).toBe(0)
  expect(await account('list')).toBe(0)
  expect(
    await account('update', address, '--password-file', password, '--new-password-file', other, '--lightkdf'),
  ).toBe(0)
  const exported = join(folder, 'exported')
  expect(await account('export', address, exported, '--password-file', other, '--private-key')).toBe(0)
  expect(readFileSync(exported, 'utf8').trim()).toBe(cliKey)
  for (const path of [exported, raw]) rmSync(path)
  for (const args of [
    ['export', address, join(folder, 'never'), '--password-file', password],
    ['update', address, '--password-file', password, '--new-password-file', other],
    ['import', badKey, '--password-file', password],
    ['import', badJson, '--password-file', password],
    ['import', join(folder, 'none'), '--password-file', password],
    ['new'],
    ['new', '--password', cliPhrase],
    ['new', `--password=${cliPhrase}`],
    ['new', cliPhrase],
    ['import', cliKey],
    ['update', cliKey, '--password-file', other],
    ['update', cliPhrase, '--password-file', other],
    ['list', cliPhrase],
  ])
    expect(await account(...args), args[0]).not.toBe(0)
  expect(canaries.in(outputs.join('\n'))).toEqual([])
  for (const path of [password, other, badKey, badJson]) rmSync(path)
})

describe('nothing is left', () => {
  test('in what callers were told', () => {
    expect(errors.length).toBeGreaterThan(300)
    for (const error of errors) expect(canaries.in(error), error).toEqual([])
  })

  test('in the output and the log', () => {
    expect(program.stderr()).toContain('"level"')
    expect(canaries.in(program.stdout())).toEqual([])
    expect(canaries.in(program.stderr())).toEqual([])
  })

  test.each(['/metrics', '/health', '/ready', '/openrpc.json'])('in %s', async (path) => {
    const { status, body } = await sendHttp(http, { method: 'GET', path })
    expect(status).toBe(200)
    expect(canaries.in(body)).toEqual([])
  })

  test('in the arguments of the process, and in its environment only what was put there', (ctx) => {
    if (process.platform !== 'linux') ctx.skip('only Linux has /proc')
    const { pid } = program.child
    expect(canaries.in(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))).toEqual([])
    expect(canaries.in(readFileSync(`/proc/${pid}/environ`, 'latin1'))).toEqual(['mnemonic'])
    expect(Number(`0x${readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()}`)).toBe(0)
  })

  test('in the home, its key files and its data', () => {
    expect(canaries.inFolder(home)).toEqual([])
    expect(canaries.inFolder(folder)).toEqual([])
  })

  test('in the settings that are shown', async () => {
    const shown = runProgram(['config', 'show', '--home', home], { PERIHELION_MNEMONIC: mnemonic })
    expect(await shown.ended()).toBe(0)
    expect(shown.stdout()).toContain('mnemonic = (not shown)')
    expect(canaries.in(shown.stdout() + shown.stderr())).toEqual([])
  })

  test('after the end', async () => {
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(canaries.in(program.stdout() + program.stderr())).toEqual([])
    expect(canaries.inFolder(home)).toEqual([])
  })
})
