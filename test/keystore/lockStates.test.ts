import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recoverMessageAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { KeyedQueue } from '../../src/base/threads/keyedQueue.ts'
import { parseChainConfig } from '../../src/chain/config/chainConfig.ts'
import { type NodeKeys, openNodeKeys } from '../../src/keystore/nodeKeys.ts'
import { UnlockedKeys } from '../../src/keystore/unlockedKeys.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { callApi } from '../support/callApi.ts'
import { fakeChain } from '../support/fakeChain.ts'
import { slow, testSome } from '../support/slow.ts'
import { FakeClock } from './fakeClock.ts'

/** The account lock state of the specification: every row, every condition, with time that the test moves. */

const key = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const account = '0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b'
const passphrase = 'correct horse'
const second = 1000

let home: string
let clock: FakeClock
let keys: NodeKeys
let sent: Uint8Array[]

const chain = () =>
  fakeChain({
    config: parseChainConfig({ chainId: 7, homesteadBlock: 0 }),
    head: () => ({ number: 0, hash: new Uint8Array(32), time: 0 }),
    blocks: { header: () => ({ baseFeePerGas: 1n }) as never },
    fees: { suggestTip: () => 20n },
    pool: {
      nextNonce: () => BigInt(sent.length),
      submit: async (raw) => {
        sent.push(raw)
        return raw.subarray(0, 32)
      },
      waitForSeal: async () => {},
    },
  })

const call = (method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const { keystore, wallets } = keys
  const context = {
    accounts: keystore,
    keystore,
    wallets,
    chain: chain(),
    sending: new KeyedQueue({ name: 'turn' }),
  }
  return callApi(method, params, context)
}

const transfer = { from: account, to: account, gas: '0x5208', gasPrice: '0x5', nonce: '0x0' }
const typedData = {
  types: { A: [{ name: 'a', type: 'bool' }] },
  primaryType: 'A',
  domain: {},
  message: { a: true },
}

/** All that an unlocked account can be used with. */
const uses: readonly (readonly [string, ...unknown[]])[] = [
  ['eth_sign', account, '0x00'],
  ['eth_signTypedData_v4', account, typedData],
  ['eth_signTransaction', transfer],
  ['eth_sendTransaction', transfer],
]

const state = async (): Promise<string> => {
  const answers = await Promise.all(uses.map(([method, ...params]) => call(method, ...params)))
  const refusals = answers.filter((answer) => answer instanceof RpcError)
  for (const { code, message } of refusals) {
    expect([code, message]).toEqual([-32_000, 'authentication needed: password or unlock'])
  }
  if (refusals.length === 0) return 'unlocked'
  return refusals.length === uses.length ? 'locked' : 'neither'
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
  clock = new FakeClock()
  keys = openNodeKeys({ home, isLight: true, devKeys: [] }, clock)
  sent = []
  expect(await call('personal_importRawKey', key, passphrase)).toBe(account)
})
afterEach(() => {
  keys.close()
  rmSync(home, { recursive: true, force: true })
})

describe('locked', () => {
  test('is how an account begins', async () => {
    expect(await state()).toBe('locked')
    expect(sent).toHaveLength(0)
  })

  test('a passphrase that decrypts the key unlocks it', async () => {
    expect(await call('personal_unlockAccount', account, passphrase, 60)).toBe(true)
    expect(await state()).toBe('unlocked')
    const signature = (await call('eth_sign', account, '0xdeadbeaf')) as `0x${string}`
    const signer = await recoverMessageAddress({ message: { raw: '0xdeadbeaf' }, signature })
    expect(signer.toLowerCase()).toBe(account)
  })

  testSome(1, ['', 'Correct horse', 'correct horse ', 'correct hors'])('%j does not', async (wrong) => {
    expect(await call('personal_unlockAccount', account, wrong, 60)).toMatchObject({
      code: -32_000,
      message: 'could not decrypt key with given password',
    })
    expect(await state()).toBe('locked')
  })

  test('personal_lockAccount leaves it so', async () => {
    expect(await call('personal_lockAccount', account)).toBe(true)
    expect(await state()).toBe('locked')
  })

  test(
    'personal_sign, personal_signTransaction and personal_sendTransaction unlock nothing',
    slow,
    async () => {
      expect(await call('personal_sign', '0xdeadbeaf', account, passphrase)).toMatch(/^0x[0-9a-f]{130}$/)
      expect(await state()).toBe('locked')
      expect(await call('personal_signTransaction', transfer, passphrase)).toHaveProperty('raw')
      expect(await state()).toBe('locked')
      expect(sent).toHaveLength(0)
      expect(await call('personal_sendTransaction', transfer, passphrase)).toMatch(/^0x/)
      expect(sent).toHaveLength(1)
      expect(await state()).toBe('locked')
    },
  )

  test('nor do they lock what is unlocked', slow, async () => {
    await call('personal_unlockAccount', account, passphrase, 60)
    await call('personal_sign', '0xdeadbeaf', account, passphrase)
    await call('personal_sendTransaction', transfer, passphrase)
    expect(await state()).toBe('unlocked')
  })

  test('with a wrong passphrase they sign nothing, unlocked or not', slow, async () => {
    await call('personal_unlockAccount', account, passphrase, 60)
    for (const [method, ...params] of [
      ['personal_sign', '0xdeadbeaf', account, 'wrong'],
      ['personal_sendTransaction', transfer, 'wrong'],
    ] as const) {
      expect(await call(method, ...params)).toMatchObject({
        message: 'could not decrypt key with given password',
      })
    }
    expect(sent).toHaveLength(0)
  })

  test('an account that is not ours has no state', async () => {
    const stranger = `0x${'77'.repeat(20)}`
    expect(await call('personal_unlockAccount', stranger, passphrase)).toMatchObject({
      code: -32_000,
      message: 'no key for given address or file',
    })
    expect(await call('personal_sign', '0x00', stranger, passphrase)).toMatchObject({
      message: 'unknown account',
    })
    expect(await call('eth_sign', stranger, '0x00')).toMatchObject({ message: 'unknown account' })
  })
})

describe('unlocked', () => {
  testSome(1, [
    ['60 s', [60], 60],
    ['1 s', [1], 1],
    ['300 s where nothing is said', [], 300],
    ['300 s where null is said', [null], 300],
  ])('for %s, and locked thereafter', async (_, duration, seconds) => {
    expect(await call('personal_unlockAccount', account, passphrase, ...duration)).toBe(true)
    clock.pass(seconds * second - 1)
    expect(await state()).toBe('unlocked')
    clock.pass(1)
    expect(await state()).toBe('locked')
    expect(clock.timers).toBe(0)
  })

  test('no longer than that either where the timer is late', slow, async () => {
    await call('personal_unlockAccount', account, passphrase, 60)
    clock.pass(60 * second, { isBusy: true })
    expect(await state()).toBe('locked')
  })

  test('until the process exits with an explicit 0', async () => {
    await call('personal_unlockAccount', account, passphrase, 0)
    clock.pass(100 * 365 * 24 * 3600 * second)
    expect(await state()).toBe('unlocked')
    keys.close()
    expect(await state()).toBe('locked')
  })

  test('a set wall clock changes nothing', slow, async () => {
    const { now } = Date
    try {
      await call('personal_unlockAccount', account, passphrase, 60)
      Date.now = () => now() + 3600 * second
      expect(await state()).toBe('unlocked')
      clock.pass(60 * second)
      Date.now = () => now() - 3600 * second
      expect(await state()).toBe('locked')
    } finally {
      Date.now = now
    }
  })

  test('personal_lockAccount locks it, timed or not', async () => {
    for (const seconds of [60, 0]) {
      await call('personal_unlockAccount', account, passphrase, seconds)
      expect(await call('personal_lockAccount', account)).toBe(true)
      expect(await state()).toBe('locked')
      expect(clock.timers).toBe(0)
    }
  })

  test('unlocking again sets the time anew, longer or shorter', slow, async () => {
    await call('personal_unlockAccount', account, passphrase, 60)
    clock.pass(30 * second)
    await call('personal_unlockAccount', account, passphrase, 60)
    clock.pass(59 * second)
    expect(await state()).toBe('unlocked')
    await call('personal_unlockAccount', account, passphrase, 5)
    clock.pass(5 * second)
    expect(await state()).toBe('locked')
  })

  test('what is unlocked without end stays so', slow, async () => {
    await call('personal_unlockAccount', account, passphrase, 0)
    await call('personal_unlockAccount', account, passphrase, 5)
    clock.pass(3600 * second)
    expect(await state()).toBe('unlocked')
  })

  test('a failed attempt to unlock leaves it unlocked', slow, async () => {
    await call('personal_unlockAccount', account, passphrase, 60)
    await call('personal_unlockAccount', account, 'wrong', 3600)
    expect(await state()).toBe('unlocked')
    clock.pass(60 * second)
    expect(await state()).toBe('locked')
  })

  test('a file that is taken away takes the account with it', async () => {
    await call('personal_unlockAccount', account, passphrase, 0)
    rmSync(join(home, 'keystore'), { recursive: true })
    expect(await call('eth_sign', account, '0x00')).toMatchObject({ message: 'unknown account' })
    expect(await call('eth_accounts')).toEqual([])
  })

  testSome(2, [['60'], ['0x3c'], [-1], [1.5], [9_223_372_037], [{}]])(
    '%j is not a duration',
    async (duration) => {
      expect(await call('personal_unlockAccount', account, passphrase, duration)).toMatchObject({
        code: -32_602,
      })
      expect(await state()).toBe('locked')
    },
  )

  test('one account says nothing of another', async () => {
    const other = (await call('personal_newAccount', 'other')) as string
    await call('personal_unlockAccount', other, 'other', 60)
    expect(await state()).toBe('locked')
    expect(await call('personal_unlockAccount', account, 'other')).toBeInstanceOf(RpcError)
    await call('personal_lockAccount', account)
    expect(await call('eth_sign', other, '0x00')).toMatch(/^0x/)
  })
})

describe('the key in memory', () => {
  const held = (): { unlocked: UnlockedKeys; bytes: Uint8Array } => {
    const unlocked = new UnlockedKeys(clock)
    const bytes = fromHex(`0x${key}`)
    unlocked.add(account, bytes, 60)
    return { unlocked, bytes }
  }
  const zeros = new Uint8Array(32)

  test('is there while the account is unlocked', () => {
    const { unlocked, bytes } = held()
    expect(toHex(bytes)).toBe(`0x${key}`)
    expect(unlocked.get(account)).toBe(bytes)
  })

  testSome(1, [
    ['it is locked', ({ unlocked }: ReturnType<typeof held>) => unlocked.remove(account)],
    ['its time is up', () => clock.pass(60 * second)],
    [
      'its time was up when it was asked for',
      ({ unlocked }: ReturnType<typeof held>) => {
        clock.pass(60 * second, { isBusy: true })
        unlocked.get(account)
      },
    ],
    [
      'another takes its place',
      ({ unlocked }: ReturnType<typeof held>) => unlocked.add(account, zeros.slice(), 5),
    ],
    ['the node stops', ({ unlocked }: ReturnType<typeof held>) => unlocked.close()],
  ])('is overwritten once %s', (_, end) => {
    const parts = held()
    end(parts)
    expect(parts.bytes).toEqual(zeros)
  })

  test('is overwritten at once where it is not needed', () => {
    const { unlocked } = held()
    unlocked.add(account, fromHex(`0x${key}`), 0)
    const spare = fromHex(`0x${key}`)
    unlocked.add(account, spare, 5)
    expect(spare).toEqual(zeros)
  })
})

test('guesses are slowed down for one account, and for no other', slow, async () => {
  const other = (await call('personal_newAccount', 'other')) as string
  const guess = async (who: string, given: string): Promise<string | true> => {
    const answer = await call('personal_unlockAccount', who, given, 1)
    return answer instanceof RpcError ? `${answer.code} ${answer.message}` : (answer as true)
  }
  const wrong = '-32000 could not decrypt key with given password'
  const wait = (seconds: number): string =>
    `-32005 too many wrong passphrases for this account: try again in ${seconds} s`
  for (let attempt = 0; attempt < 3; attempt++) expect(await guess(account, 'wrong')).toBe(wrong)
  // Not even the right one, which would tell a guesser that it is.
  expect(await guess(account, passphrase)).toBe(wait(1))
  expect(await guess(other, 'other')).toBe(true)
  clock.pass(second)
  for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
    expect(await guess(account, 'wrong')).toBe(wrong)
    expect(await guess(account, 'wrong')).toBe(wait(seconds))
    expect(await guess(account, passphrase)).toBe(wait(seconds))
    clock.pass(seconds * second)
  }
  expect(await guess(account, passphrase)).toBe(true)
  // The right one makes good for the wrong ones.
  expect(await guess(account, 'wrong')).toBe(wrong)
  expect(await guess(account, passphrase)).toBe(true)
})

test('guesses at the same time are guesses one after the other', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => call('personal_sign', '0x00', account, 'wrong')),
  )
  const codes = answers.map((answer) => (answer as RpcError).code)
  expect(codes.filter((code) => code === -32_000)).toHaveLength(3)
  expect(codes.filter((code) => code === -32_005)).toHaveLength(47)
})

describe('accounts', () => {
  test('are those of the files, and no others', async () => {
    expect(await call('eth_accounts')).toEqual([account])
    const made = (await call('personal_newAccount', 'other')) as string
    expect(await call('personal_listAccounts')).toEqual([account, made])
    expect(await call('eth_accounts')).toEqual([account, made])
  })

  test('are there once', async () => {
    for (const given of [key, `0x${key}`, key.toUpperCase()]) {
      expect(await call('personal_importRawKey', given, 'another')).toMatchObject({
        code: -32_000,
        message: 'account already exists',
      })
    }
    expect(await call('eth_accounts')).toEqual([account])
  })

  test('two imports of one key at once make one file', async () => {
    const another = '11'.repeat(32)
    const answers = await Promise.all([1, 2, 3].map(() => call('personal_importRawKey', another, 'p')))
    expect(answers.filter((answer) => typeof answer === 'string')).toHaveLength(1)
    expect(await call('eth_accounts')).toHaveLength(2)
  })

  testSome(1, ['00'.repeat(32), 'ff'.repeat(32)])('%s is not a key', async (given) => {
    expect(await call('personal_importRawKey', given, 'p')).toMatchObject({ code: -32_000 })
  })

  test('of the dev profile have the empty passphrase and can be locked', async () => {
    const dev = openNodeKeys({ home, isLight: true, devKeys: [fromHex(`0x${'22'.repeat(32)}`)] }, clock)
    const [address = new Uint8Array()] = dev.keystore.list()
    const hash = new Uint8Array(32).fill(3)
    expect(dev.keystore.sign(address, hash)).toBeDefined()
    dev.keystore.lock(address)
    expect(dev.keystore.sign(address, hash)).toBeUndefined()
    await expect(dev.keystore.unlock(address, 'x', 5)).rejects.toThrow('could not decrypt key')
    await dev.keystore.unlock(address, '', 5)
    expect(dev.keystore.sign(address, hash)).toBeDefined()
    clock.pass(5 * second)
    expect(dev.keystore.sign(address, hash)).toBeUndefined()
  })
})
