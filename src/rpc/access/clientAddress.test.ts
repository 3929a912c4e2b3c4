import { describe, expect, test } from 'vitest'
import { createClientAddressResolver, networkOf } from './clientAddress.ts'

const trusting = createClientAddressResolver([
  { address: '10.0.0.0', prefix: 8 },
  { address: 'fd00::', prefix: 8 },
  { address: '127.0.0.1', prefix: 32 },
])
const trustingNobody = createClientAddressResolver([])

const forwarded = (list: string) => ({ 'x-forwarded-for': list })

describe('without a proxy', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.8.9.10', '127.8.9.10', true],
    ['::1', '::1', true],
    ['::ffff:127.0.0.1', '127.0.0.1', true],
    ['::FFFF:192.0.2.7', '192.0.2.7', false],
    ['192.0.2.7', '192.0.2.7', false],
    ['2001:db8::1', '2001:db8::1', false],
    ['fe80::1%eth0', 'fe80::1%eth0', false],
  ])('%s is %s, local: %s', (peer, address, isLocal) => {
    expect(trustingNobody(peer, {})).toEqual({ address, isLocal })
  })

  test.each([
    ['127.8.9.10', '127.8.9.10', true],
    ['::1', '::1', true],
    ['127.0.0.1', '127.0.0.1', false],
    ['::ffff:127.0.0.1', '127.0.0.1', false],
    ['192.0.2.7', '192.0.2.7', false],
    ['10.1.2.3', '10.1.2.3', false],
  ])(
    '%s is %s, local: %s, where a proxy is at 127.0.0.1, which may send no header',
    (peer, address, isLocal) => {
      expect(trusting(peer, {})).toEqual({ address, isLocal })
    },
  )

  test('a connection that is gone has no address, and is nobody local', () => {
    for (const find of [trusting, trustingNobody]) {
      expect(find(undefined, {})).toEqual({ address: '', isLocal: false })
      expect(find(undefined, forwarded('127.0.0.1'))).toEqual({ address: '', isLocal: false })
    }
  })
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['', ''],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  // Neighbours on one link have nothing but this.
  ['fe80::1%eth0', 'fe80::1%eth0'],
])('the limits of %s are those of %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

describe('behind proxies', () => {
  test.each([
    ['a proxy that nobody trusts names nobody', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['a trusted one names the client', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['through an IPv4-mapped address too', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['the client may be IPv4-mapped', '10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    [
      'a chain is followed to the first stranger',
      '10.1.2.3',
      '6.6.6.6, 198.51.100.1, fd00::5',
      '198.51.100.1',
    ],
    ['what the client wrote itself is not believed', '10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['all hops trusted: the first of them', '10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['an unreadable hop ends the walk', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
    ['no list at all', '10.1.2.3', '', '10.1.2.3'],
    ['a hop with its port', '10.1.2.3', '198.51.100.1:49152, 10.0.0.9:80', '198.51.100.1'],
    ['a hop of IPv6 with its port', '10.1.2.3', '[2001:db8::1]:49152', '2001:db8::1'],
    ['a hop of IPv6 in brackets', '10.1.2.3', '[2001:db8::1]', '2001:db8::1'],
    ['what only looks like a port', '10.1.2.3', '198.51.100.1:x', '10.1.2.3'],
  ])('%s', (_, peer, list, address) => {
    expect(trusting(peer, forwarded(list))).toEqual({ address, isLocal: false })
  })

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'a loopback peer that sends %s passes on for somebody else',
    (name) => {
      expect(trustingNobody('127.0.0.1', { [name]: 'anything' }).isLocal).toBe(false)
      expect(trusting('127.0.0.1', { [name]: 'anything' }).isLocal).toBe(false)
    },
  )

  describe.each(['10.1.2.3', '127.0.0.1', '::ffff:127.0.0.1', 'fd00::5'])('from the proxy %s', (proxy) => {
    test.each([
      '127.0.0.1',
      '127.0.0.2',
      '127.8.9.10:80',
      '127.0.0.2, 10.0.0.9',
      '::1',
      '[::1]',
      '[::1]:99',
      '::ffff:127.0.0.2',
      '::FFFF:127.0.0.2',
      '[::ffff:127.0.0.2]:99',
      '::ffff:7f00:2',
      '0:0:0:0:0:0:0:1',
      '0.0.0.0',
      '::',
      'localhost',
      '',
    ])('nobody is local, %s neither', (list) => {
      expect(trusting(proxy, forwarded(list)).isLocal).toBe(false)
    })
  })

  test('the address that a proxy names counts for limits, a loopback one too', () => {
    expect(trusting('10.1.2.3', forwarded('127.0.0.2'))).toEqual({ address: '127.0.0.2', isLocal: false })
    expect(trusting('10.1.2.3', forwarded('[::1]:99'))).toEqual({ address: '::1', isLocal: false })
  })
})
