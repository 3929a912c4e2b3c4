import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HDNodeWallet, Wallet } from 'ethers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NodeKeys, openNodeKeys } from '../../src/keystore/nodeKeys.ts'
import { callApi } from '../support/callApi.ts'
import { slow } from '../support/slow.ts'
import { FakeClock } from './fakeClock.ts'

/** Software wallets, as their methods show them. */

const url = 'keystore://savings'
const path = "m/44'/60'/0'/0/0"

let home: string
let keys: NodeKeys
let clock: FakeClock

const restart = (): void => {
  keys?.close()
  keys = openNodeKeys({ home, isLight: true, devKeys: [] }, clock)
}

const call = <T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> => {
  const { keystore, wallets } = keys
  return callApi(`personal_${method}`, params, { accounts: keystore, keystore, wallets }) as Promise<T>
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
  clock = new FakeClock()
  restart()
})
afterEach(() => {
  keys.close()
  rmSync(home, { recursive: true, force: true })
})

const accounts = () => call<string[]>('listAccounts')
const status = async (): Promise<string | undefined> =>
  (await call<{ url: string; status: string }[]>('listWallets')).find((wallet) => wallet.url === url)?.status

const initialize = async () => {
  const key = await call<string>('initializeWallet', url)
  expect(key).toMatch(/^0x[0-9a-f]{64}$/)
  return { key, address: new Wallet(key).address.toLowerCase() }
}

test('from the first day to the last', slow, async () => {
  const { key, address } = await initialize()
  expect(await status()).toBe('Initialized, not paired')
  expect(await accounts()).toEqual([])
  expect(readdirSync(home)).toEqual([])
  // The first password is the one that pairs.
  expect(await call('openWallet', url, 'pairing')).toBeNull()
  expect(await status()).toBe('Open')
  expect(await accounts()).toEqual([address])
  expect(await call('openWallet', url, 'pairing')).toMatchObject({
    code: -32_000,
    message: 'wallet already open',
  })
  const file = join(home, 'wallets', 'savings.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(key.slice(2))
  // Ethers opens it, as any key file.
  const opened = await Wallet.fromEncryptedJson(readFileSync(file, 'utf8'), 'pairing')
  expect(opened.address.toLowerCase()).toBe(address)

  restart()
  expect(await status()).toBe('Closed')
  expect(await accounts()).toEqual([address])
  expect(await call('openWallet', url, 'wrong')).toMatchObject({
    code: -32_000,
    message: 'could not decrypt key with given password',
  })
  expect(await status()).toBe('Closed')
  expect(await call('openWallet', url, 'pairing')).toBeNull()

  expect(await call('unpair', url, 'wrong')).toMatchObject({ code: -32_000 })
  expect(await status()).toBe('Open')
  expect(await call('unpair', url, 'pairing')).toBeNull()
  expect(await status()).toBe('Unpaired')
  expect(await accounts()).toEqual([])
  expect(await call('unpair', url, 'pairing')).toMatchObject({ message: 'the wallet is not paired' })
  restart()
  expect(await accounts()).toEqual([])
  expect(await call('openWallet', url, 'pairing')).toBeNull()
  expect(await accounts()).toEqual([address])
})

test(
  'an account of a wallet signs with the password of the pairing, and while it is unlocked',
  slow,
  async () => {
    const { address } = await initialize()
    await call('openWallet', url, 'pairing')
    const sign = () => callApi('eth_sign', [address, '0x00'], { accounts: keys.keystore })
    expect(await sign()).toMatchObject({ message: 'authentication needed: password or unlock' })
    expect(await call('sign', '0x00', address, 'pairing')).toMatch(/^0x/)
    expect(await call('sign', '0x00', address, 'wrong')).toMatchObject({ code: -32_000 })
    expect(await call('unlockAccount', address, 'pairing', 5)).toBe(true)
    expect(await sign()).toMatch(/^0x/)
    // Unpaired, it is not an account of the node.
    await call('unpair', url, 'pairing')
    expect(keys.keystore.isUnlocked(Buffer.from(address.slice(2), 'hex'))).toBe(false)
    expect(await sign()).toMatchObject({ message: 'unknown account' })
  },
)

test('accounts are derived from the key, as ethers does', async () => {
  const { key, address } = await initialize()
  const expected = HDNodeWallet.fromSeed(key).derivePath(path)
  expect(await call('deriveAccount', url, path)).toMatchObject({ code: -32_000, message: 'wallet closed' })
  await call('openWallet', url, 'pairing')
  const derived = { address: expected.address.toLowerCase(), url: `${url}/${path}` }
  expect(await call('deriveAccount', url, path)).toEqual(derived)
  expect(await accounts()).toEqual([address])
  expect(await call('deriveAccount', url, path, true)).toEqual(derived)
  expect(await call('deriveAccount', url, path, true)).toEqual(derived)
  expect(await accounts()).toEqual([address, derived.address])
  restart()
  expect(await accounts()).toEqual([address, derived.address])
  expect(await call('listWallets')).toEqual([
    { url, status: 'Closed', accounts: [{ address, url }, derived] },
  ])
  const signature = await call<string>('sign', '0xdeadbeaf', derived.address, 'pairing')
  expect(signature).toBe(await expected.signMessage(Buffer.from('deadbeaf', 'hex')))
})

test.each([
  '',
  'm',
  'm/',
  '44',
  'm/x',
  'm/-1',
  'm/2147483648',
  'm/0h',
  "m/0''",
  'm/0/',
  'm/1.5',
  `m${'/0'.repeat(11)}`,
])('%j is not a path', async (given) => {
  await initialize()
  await call('openWallet', url, 'pairing')
  expect(await call('deriveAccount', url, given)).toMatchObject({ code: -32_602 })
})

test.each([
  'savings',
  'file:///etc/passwd',
  'ledger://01',
  'keystore://',
  'keystore://..',
  'keystore://../jwt',
  'keystore:///etc/passwd',
  'keystore://a/b',
  'keystore://a\\b',
  'keystore://a%2fb',
  'keystore://a.json',
  'keystore://a\0b',
  'keystore://-a',
  'KEYSTORE://a',
  `keystore://${'a'.repeat(65)}`,
])('%j is not a wallet', async (given) => {
  for (const [method, ...params] of [
    ['initializeWallet'],
    ['openWallet', 'p'],
    ['unpair', 'p'],
    ['deriveAccount', path],
  ] as const) {
    expect(await call(method, given, ...params)).toMatchObject({ code: -32_602 })
  }
  expect(readdirSync(home)).toEqual([])
})

test('a wallet that is not there', async () => {
  for (const [method, ...params] of [
    ['openWallet', 'p'],
    ['unpair', 'p'],
    ['deriveAccount', path],
  ] as const) {
    expect(await call(method, url, ...params)).toMatchObject({ code: -32_000, message: 'unknown wallet' })
  }
})

test('a name is given once', async () => {
  await initialize()
  const taken = { code: -32_000, message: 'the wallet is initialized already' }
  expect(await call('initializeWallet', url)).toMatchObject(taken)
  await call('openWallet', url, 'pairing')
  expect(await call('initializeWallet', url)).toMatchObject(taken)
  restart()
  expect(await call('initializeWallet', url)).toMatchObject(taken)
})

test('key files are listed beside the wallets', async () => {
  const address = await call<string>('newAccount', 'p')
  const [state] = await call<{ url: string; status: string }[]>('listWallets')
  expect(state?.url).toMatch(new RegExp(`^keystore://${home}/keystore/UTC--.*--${address.slice(2)}$`))
  expect(state?.status).toBe('Locked')
  await call('unlockAccount', address, 'p')
  expect((await call<{ status: string }[]>('listWallets'))[0]?.status).toBe('Unlocked')
})
