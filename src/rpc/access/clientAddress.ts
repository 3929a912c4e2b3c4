import { BlockList, isIP } from 'node:net'

export interface IpRange {
  readonly address: string
  readonly prefix: number
}

export interface ClientAddress {
  readonly address: string
  /** On this machine, and not by way of a proxy. */
  readonly isLocal: boolean
}

/** The kernel writes addresses in their one shortest form; what a proxy wrote otherwise is just not seen as local. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

const contains = (list: BlockList, address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** `::ffff:127.0.0.1`, as a socket that takes both families names an IPv4 client, is `127.0.0.1`. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** Headers by which a proxy tells that a request is not its own. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Finds the client behind the proxies that are trusted to name it. */
export const createClientAddressResolver = (trustedProxies: readonly IpRange[]) => {
  const trusted = new BlockList()
  for (const { address, prefix } of trustedProxies) {
    trusted.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return (peer: string | undefined, headers: Headers): ClientAddress => {
    const address = plainAddress(peer ?? '')
    const isProxied = proxyHeaders.some((name) => headers[name] !== undefined)
    if (!isProxied) return { address, isLocal: isLoopback(address) }
    if (!contains(trusted, address)) return { address, isLocal: false }
    // Each proxy appended the address that it saw, so the list is read from its end up to the first stranger.
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    let client = address
    while (hops.length > 0 && contains(trusted, client)) {
      const hop = plainAddress((hops.pop() as string).trim())
      if (isIP(hop) === 0) break
      client = hop
    }
    return { address: client, isLocal: isLoopback(client) && !contains(trusted, client) }
  }
}
