import { BlockList, isIP } from 'node:net'

export interface IpRange {
  readonly address: string
  readonly prefix: number
}

export interface ClientAddress {
  readonly address: string
  /** Whether the client is on this machine and not behind a proxy. */
  readonly isLocal: boolean
}

/** Returns whether the address of a peer is local. The kernel writes the shortest form. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

const contains = (list: BlockList, address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** Returns `127.0.0.1` for `::ffff:127.0.0.1`, the form in which a dual-stack socket shows an IPv4 client. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** Returns the address of a hop, which some proxies write with the port and, if it is one of IPv6, in brackets. */
const hopAddress = (hop: string): string => {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return plainAddress(inBrackets ?? beforePort ?? hop)
}

/** The headers that show that a request came through a proxy. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Returns the function that finds the address of the client behind trusted proxies. */
export const createClientAddressResolver = (trustedProxies: readonly IpRange[]) => {
  const trusted = new BlockList()
  for (const { address, prefix } of trustedProxies) {
    trusted.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return (peer: string | undefined, headers: Headers): ClientAddress => {
    const address = plainAddress(peer ?? '')
    const isProxied = proxyHeaders.some((name) => headers[name] !== undefined)
    // A proxy on this machine may be set up to send none of the headers: its own address is nobody local.
    if (!isProxied) return { address, isLocal: isLoopback(address) && !contains(trusted, address) }
    if (!contains(trusted, address)) return { address, isLocal: false }
    // Each proxy appended the address that it saw, so that the list is read from its end up to the first untrusted one.
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    let client = address
    while (hops.length > 0 && contains(trusted, client)) {
      const hop = hopAddress((hops.pop() as string).trim())
      if (isIP(hop) === 0) break
      client = hop
    }
    // A loopback address that a proxy names is one of its own machine, or what the client wrote.
    return { address: client, isLocal: false }
  }
}

/**
 * Returns what stands for the owner of an address where limits hold for each client: of an IPv6 address its first 64 bits,
 * because a single host has all addresses below them to choose from.
 */
export const networkOf = (address: string): string => {
  if (isIP(address) !== 6 || /^fe[89ab]/i.test(address)) return address
  const [head = '', tail] = address.split('::')
  const before = splitGroups(head)
  const after = splitGroups(tail ?? '')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...new Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** An IPv4 address at the end has the place of two groups, which are below the first 64 bits. */
const splitGroups = (text: string): string[] =>
  text === '' ? [] : text.replace(/[\d.]*\.[\d.]*$/, '0:0').split(':')
