import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { abciAddress, hostAndPort, httpUrl, listenAddress } from './addresses.ts'
import { boolean, choice, text, unless, unlessEmpty } from './basic.ts'
import { address, nameIn } from './chain.ts'
import type { Kind } from './kind.ts'
import { cidrs, list, peers } from './lists.ts'
import { bigInteger, byteSize, coins, duration, gasPrice, integer } from './numbers.ts'
import { fileOrUrl, headers, remoteUrl } from './remote.ts'

/** Erased, so that all kinds fit one table; each is used with its own values alone. */
const anyKind = <T>(kind: Kind<T>) => kind as Kind<unknown>

const peer = `${'ab'.repeat(20)}@host:26656`
const names = list({ item: /^[a-z]+$/, wanted: 'names' })

const readable: readonly [string, Kind<unknown>, string, unknown][] = [
  ['boolean', anyKind(boolean()), 'true', true],
  ['boolean', anyKind(boolean()), '0', false],
  ['integer', anyKind(integer()), '0', 0],
  ['bigInteger', anyKind(bigInteger({ min: 1, max: 1000 })), '10', 10n],
  ['nameIn', anyKind(nameIn(['tangerineWhistle'], 'a fork')), 'tangerinewhistle', 'tangerineWhistle'],
  ['address', anyKind(address()), `0x${'Ab'.repeat(20)}`, new Uint8Array(20).fill(0xab)],
  ['peers', anyKind(peers()), '', []],
  ['peers', anyKind(peers()), `${peer},tcp://${peer},`, [peer, `tcp://${peer}`]],
  ['hostAndPort', anyKind(hostAndPort()), '[::1]:0', '[::1]:0'],
  ['abciAddress', anyKind(abciAddress()), 'unix:///x', { kind: 'unix', path: '/x' }],
  ['unless', anyKind(unless(0, integer())), '0', undefined],
  ['unless', anyKind(unless(0, integer())), '5', 5],
  ['unless', anyKind(unless('auto', choice('auto', 'one'))), 'auto', undefined],
  ['unlessEmpty', anyKind(unlessEmpty(text({ wanted: 'a path' }))), '', undefined],
  ['unlessEmpty', anyKind(unlessEmpty(text({ wanted: 'a path' }))), '/x', '/x'],
  ['integer', anyKind(integer({ min: -5 })), '-5', -5],
  ['integer', anyKind(integer()), '9007199254740991', 9007199254740991],
  ['text', anyKind(text({ wanted: 'a path' })), '/a "b" \\c ü', '/a "b" \\c ü'],
  ['choice', anyKind(choice('auto', 'never')), 'never', 'never'],
  ['url', anyKind(httpUrl()), 'http://127.0.0.1:26657', 'http://127.0.0.1:26657'],
  ['url', anyKind(httpUrl()), 'http://[::1]:1/', 'http://[::1]:1/'],
  ['remoteUrl', anyKind(remoteUrl()), 'https://u:p@host/v2/key?a=b', 'https://u:p@host/v2/key?a=b'],
  ['fileOrUrl', anyKind(fileOrUrl()), 'https://u:p@host/a?k=b', 'https://u:p@host/a?k=b'],
  ['fileOrUrl', anyKind(fileOrUrl()), '/var/a b.blocks', '/var/a b.blocks'],
  ['headers', anyKind(headers()), '', []],
  ['headers', anyKind(headers()), 'A: 1, 2\nX-Key:3', ['A: 1, 2', 'X-Key:3']],
  ['list', anyKind(names), '', []],
  ['list', anyKind(names), 'eth', ['eth']],
  ['list', anyKind(names), ' eth , net ', ['eth', 'net']],
  ['address', anyKind(listenAddress()), '', undefined],
  ['address', anyKind(listenAddress()), '127.0.0.1:8545', { host: '127.0.0.1', port: 8545 }],
  ['address', anyKind(listenAddress()), 'localhost:0', { host: 'localhost', port: 0 }],
  ['address', anyKind(listenAddress()), '[::1]:65535', { host: '::1', port: 65535 }],
  ['size', anyKind(byteSize()), '5MB', 5_000_000],
  ['size', anyKind(byteSize()), '512KB', 512_000],
  ['size', anyKind(byteSize()), '64MiB', 67_108_864],
  ['size', anyKind(byteSize()), '64mib', 67_108_864],
  ['size', anyKind(byteSize()), '1.5GB', 1_500_000_000],
  ['size', anyKind(byteSize()), '1', 1],
  ['duration', anyKind(duration()), '30s', 30_000],
  ['duration', anyKind(duration()), '5m', 300_000],
  ['duration', anyKind(duration()), '1.1s', 1100],
  ['duration', anyKind(duration()), '200ms', 200],
  ['duration', anyKind(duration()), '1h', 3_600_000],
  ['gas price', anyKind(gasPrice()), '0', 0n],
  ['gas price', anyKind(gasPrice()), '7wei', 7n],
  ['gas price', anyKind(gasPrice()), String(2n ** 256n - 1n), 2n ** 256n - 1n],
  ['coins', anyKind(coins()), '0', 0n],
  ['coins', anyKind(coins()), '1', 10n ** 18n],
  ['coins', anyKind(coins()), '20.000000000000000001', 20n * 10n ** 18n + 1n],
  [
    'cidrs',
    anyKind(cidrs()),
    '10.0.0.0/8,::1',
    [
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: '::1', prefix: 128, family: 'ipv6' },
    ],
  ],
]

const unreadable: readonly [string, Kind<unknown>, readonly string[]][] = [
  ['fileOrUrl', anyKind(fileOrUrl()), ['', 'ftp://a/b', 'http://', 's3://bucket/key', 'a\nb']],
  ['boolean', anyKind(boolean()), ['', 'yes', 'TRUE', '2']],
  ['integer', anyKind(integer({ min: 1, max: 10 })), ['', '0', '11', '1.0', '1e1', ' 1', '+1', '0x1', '-1']],
  ['integer', anyKind(integer()), ['9007199254740992', '99999999999999999']],
  ['text', anyKind(text({ wanted: 'a path', min: 1 })), ['', 'a\nb', 'a\0', '\u007f', '\ud800']],
  ['choice', anyKind(choice('auto', 'never')), ['', 'Auto', 'always', 'toString']],
  [
    'url',
    anyKind(httpUrl()),
    [
      '',
      'not a url',
      '127.0.0.1:26657',
      'tcp://127.0.0.1:26657',
      'https://a',
      'http://',
      'http://u:p@a',
      'http://a:99999',
    ],
  ],
  ['list', anyKind(names), [',', 'a,', 'a,,b', 'a b', 'A']],
  [
    'address',
    anyKind(listenAddress()),
    [
      ':8545',
      '8545',
      'localhost',
      'localhost:',
      'localhost:65536',
      'localhost:080',
      '::1:8545',
      '[::1]',
      '[::1:8545',
      '[127.0.0.1]:1',
      '256.0.0.1:1',
      '1.2.3:1',
      'http://a:1',
      'a b:1',
      'a:-1',
      '-a:1',
    ],
  ],
  [
    'size',
    anyKind(byteSize()),
    ['', '0', '0MB', '-1', '5XB', 'MB', '1.5', '1.5B', '1e3', '9007199254740992', '5 MB x'],
  ],
  ['duration', anyKind(duration()), ['', '30', '0s', '0.5ms', '1d', '-1s', '25d', '597h', '1.s']],
  ['gas price', anyKind(gasPrice()), ['', '-1', '1.5', '1gwei', '0x1', '1 wei', 'wei', String(2n ** 256n)]],
  ['coins', anyKind(coins()), ['', '-1', '.5', '1.', '1e3', '1 ether', '0.0000000000000000001']],
  [
    'cidrs',
    anyKind(cidrs()),
    ['10.0.0.0/33', '::/129', '10.0.0/8', 'example.org', '10.0.0.0/', 'fe80::1%eth0', '1,'],
  ],
]

describe('kinds', () => {
  test.each(readable)('%s reads a text', (_name, kind, given, value) => {
    expect(kind.fromText(given)).toEqual({ value })
  })

  test.each(unreadable.flatMap(([name, kind, texts]) => texts.map((given) => [name, given, kind] as const)))(
    '%s rejects %j',
    (_name, given, kind) => {
      expect(kind.fromText(given)).toBeUndefined()
    },
  )

  test.each<readonly [string, Kind<unknown>, string, unknown]>([
    ['a boolean', anyKind(boolean()), 'false', false],
    ['an integer', anyKind(integer()), '1_000', 1000],
    ['a list as array', anyKind(names), '["eth", "net"]', ['eth', 'net']],
    ['a list as text', anyKind(names), '"eth,net"', ['eth', 'net']],
    [
      'a list of integers',
      anyKind(list({ item: /^\d+$/, wanted: 'numbers' })),
      '[3, "1", 0]',
      ['3', '1', '0'],
    ],
    ['bytes as integer', anyKind(byteSize()), '5_000_000', 5_000_000],
    ['bytes as text', anyKind(byteSize()), "'5MB'", 5_000_000],
    ['wei as integer', anyKind(gasPrice()), '7', 7n],
    ['wei as text', anyKind(gasPrice()), '"7wei"', 7n],
    ['coins as integer', anyKind(coins()), '7', 7n * 10n ** 18n],
    ['coins as float', anyKind(coins()), '0.5', 5n * 10n ** 17n],
    ['coins as text', anyKind(coins()), '"0.5"', 5n * 10n ** 17n],
  ])('reads %s from TOML', (_name, kind, toml, value) => {
    expect(kind.fromToml(parse(`v = ${toml}`, { integersAsBigInt: true }).v ?? '')).toEqual({ value })
  })

  test.each<readonly [string, Kind<unknown>, readonly string[]]>([
    ['boolean', anyKind(boolean()), ['"true"', '1', '[true]']],
    ['integer', anyKind(integer()), ['5.0', '"5"', 'true', '9223372036854775807']],
    ['text', anyKind(text({ wanted: 'a path' })), ['1', '["a"]', '{ a = 1 }', '1979-05-27']],
    ['choice', anyKind(choice('auto')), ['["auto"]', 'true']],
    ['list', anyKind(names), ['[1]', '[["a"]]', '["a,b"]', '[""]', '1']],
    ['address', anyKind(listenAddress()), ['8545', '["localhost:1"]']],
    ['size', anyKind(byteSize()), ['5.0', '-5', 'true']],
    ['duration', anyKind(duration()), ['30', '30.0', '07:32:00']],
    ['gas price', anyKind(gasPrice()), ['-1', '1.0', 'inf']],
    ['coins', anyKind(coins()), ['-1', 'inf', 'true']],
    ['cidrs', anyKind(cidrs()), ['[10]', '["10.0.0.0/8,::1"]']],
  ])('%s rejects other TOML values', (_name, kind, values) => {
    for (const toml of values)
      expect(kind.fromToml(parse(`v = ${toml}`, { integersAsBigInt: true }).v ?? ''), toml).toBeUndefined()
  })

  test('a value is written in the shortest exact unit', () => {
    expect(byteSize().toToml(5_000_000)).toBe('"5MB"')
    expect(byteSize().toToml(67_108_864)).toBe('"64MiB"')
    expect(byteSize().toToml(1_234_567)).toBe('"1234567B"')
    expect(duration().toToml(90_000)).toBe('"90s"')
    expect(duration({ min: 0 }).toToml(0)).toBe('"0ms"')
  })
})

const unit = (...units: string[]) => fc.constantFrom(...units)
const word = fc.stringMatching(/^[a-z]{1,9}$/)
const port = fc.integer({ min: 0, max: 65_535 })
const ipv6 = fc.ipV6().filter((address) => !address.includes('%'))
const network = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${bits}`),
  fc.ipV4(),
  ipv6,
)
const amount = fc.tuple(fc.integer({ min: 1, max: 500 }), fc.constantFrom('', '.5', '.25'))

/** Texts that each kind accepts. */
const accepted: readonly [string, Kind<unknown>, fc.Arbitrary<string>][] = [
  ['boolean', anyKind(boolean()), unit('true', 'false', '1', '0')],
  ['integer', anyKind(integer()), fc.maxSafeNat().map(String)],
  [
    'text',
    anyKind(text({ wanted: 'a text' })),
    fc.string({ unit: 'grapheme' }).filter((value) => /^[^\p{Cc}\p{Cs}]*$/u.test(value)),
  ],
  ['choice', anyKind(choice('auto', 'always', 'never')), unit('auto', 'always', 'never')],
  ['list', anyKind(names), fc.array(word).map((words) => words.join(','))],
  [
    'address',
    anyKind(listenAddress()),
    fc.oneof(
      fc.constant(''),
      fc.tuple(fc.ipV4(), port).map(([ip, at]) => `${ip}:${at}`),
      fc.tuple(ipv6, port).map(([ip, at]) => `[${ip}]:${at}`),
      fc.tuple(word, port).map(([host, at]) => `${host}:${at}`),
    ),
  ],
  [
    'size',
    anyKind(byteSize()),
    fc.oneof(
      fc
        .tuple(amount, unit('KB', 'MB', 'GB', 'KiB', 'MiB', 'GiB'))
        .map(([[n, part], of]) => `${n}${part}${of}`),
      fc.integer({ min: 1 }).map(String),
    ),
  ],
  [
    'duration',
    anyKind(duration()),
    fc.tuple(amount, unit('s', 'm', 'h')).map(([[n, part], of]) => `${n}${part}${of}`),
  ],
  [
    'gas price',
    anyKind(gasPrice()),
    fc.tuple(fc.bigInt(0n, 2n ** 256n - 1n), unit('', 'wei')).map((p) => p.join('')),
  ],
  [
    'coins',
    anyKind(coins()),
    fc.tuple(fc.bigInt(0n, 10n ** 30n), fc.stringMatching(/^\d{1,18}$/)).map((p) => p.join('.')),
  ],
  ['cidrs', anyKind(cidrs()), fc.array(network).map((networks) => networks.join(','))],
]

describe('a value survives text, value, TOML, value', () => {
  test.each(accepted)('%s', (_name, kind, texts) => {
    fc.assert(
      fc.property(texts, (given) => {
        const read = kind.fromText(given)
        if (read === undefined) throw new Error(`rejected: ${given}`)
        const { v } = parse(`v = ${kind.toToml(read.value)}`, { integersAsBigInt: true })
        expect(kind.fromToml(v ?? '')).toEqual(read)
      }),
      { numRuns: 500 },
    )
  })
})
