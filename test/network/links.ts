import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'

/**
 * The connections between the engines of a network, each through a relay of this process. A link that is cut carries
 * nothing and says nothing, in both directions, as a cable that was pulled: no connection is closed by it. Works
 * without any right to the machine's network, where namespaces of the kernel would need one.
 */

const configPath = (home: string): string => join(home, 'engine', 'config', 'config.toml')

interface EngineConfig {
  readonly [section: string]: unknown
  readonly p2p: { readonly laddr: string; readonly persistent_peers: string }
}

class Link {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  constructor(port: number) {
    this.#server = createServer((inward) => {
      const outward = connect(port, '127.0.0.1')
      for (const [from, to] of [
        [inward, outward],
        [outward, inward],
      ] as const) {
        this.#sockets.add(from)
        from.on('data', (piece) => {
          if (!to.write(piece)) from.pause()
        })
        to.on('drain', () => {
          if (!this.#isCut) from.resume()
        })
        from.on('error', () => {})
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
        if (this.#isCut) from.pause()
      }
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as { readonly port: number }).port
  }

  cut(isCut: boolean): void {
    this.#isCut = isCut
    for (const socket of this.#sockets) {
      if (isCut) socket.pause()
      else socket.resume()
    }
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

interface PlacedLink {
  /** The nodes, by their places: who dials, and whom. */
  readonly ends: readonly [number, number]
  readonly link: Link
}

export class NetworkLinks {
  readonly #links: readonly PlacedLink[]

  private constructor(links: readonly PlacedLink[]) {
    this.#links = links
  }

  /** Puts a relay between every two of these homes, whose nodes have not started yet. */
  static async between(homes: readonly string[]): Promise<NetworkLinks> {
    const configs = homes.map((home) => parse(readFileSync(configPath(home), 'utf8')) as EngineConfig)
    const ports = configs.map(({ p2p }) => Number(p2p.laddr.split(':').at(-1)))
    const links: PlacedLink[] = []
    for (const [from, config] of configs.entries()) {
      const peers: string[] = []
      for (const peer of config.p2p.persistent_peers.split(',')) {
        const [id = '', address = ''] = peer.split('@')
        const to = ports.indexOf(Number(address.split(':').at(-1)))
        const link = new Link(ports[to] as number)
        links.push({ ends: [from, to], link })
        peers.push(`${id}@127.0.0.1:${await link.listen()}`)
      }
      // Without the exchange of addresses nobody finds a way around the relays.
      const p2p = { ...config.p2p, pex: false, persistent_peers: peers.join(',') }
      writeFileSync(configPath(homes[from] as string), stringify({ ...config, p2p }))
    }
    return new NetworkLinks(links)
  }

  /** Takes a node off the others, or gives it back to them. */
  cut(node: number, isCut: boolean): void {
    for (const { ends, link } of this.#links) if (ends.includes(node)) link.cut(isCut)
  }

  close(): void {
    for (const { link } of this.#links) link.close()
  }
}
