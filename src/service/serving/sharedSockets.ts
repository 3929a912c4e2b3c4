import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import { callFailed } from '../../rpc/errors.ts'
import { chooseAddress } from '../../rpc/listenAddress.ts'
import { addressSettings, type ListenerRole } from '../../rpc/transport/listener.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import { bindAddress, type ListeningHandle } from './listeningHandle.ts'

/** A transport that the serving processes have. */
export interface OpenedSocket {
  readonly role: ListenerRole
  /** What they listen with, the address resolved. */
  readonly overrides: TransportOverrides
  /** The socket; undefined if the transport before it has the same one. */
  readonly handle: object | undefined
}

interface Entry extends Omit<OpenedSocket, 'handle'> {
  readonly socket: ListeningHandle
  readonly configured: ListenAddress
}

/** The sockets on which the serving processes accept connections. The main process holds them for those to come. */
export class SharedSockets {
  readonly #entries = new Map<ListenerRole, Entry>()
  readonly #opening = new Set<ListenerRole>()

  /** The open ones, in the order in which they were opened. */
  get opened(): readonly OpenedSocket[] {
    const entries = [...this.#entries.values()]
    return entries.map(({ role, overrides, socket }, index) => {
      const isShared = entries.slice(0, index).some((before) => before.socket === socket)
      return { role, overrides, handle: isShared ? undefined : socket.handle }
    })
  }

  addressOf(role: ListenerRole): ListenAddress | undefined {
    return this.#entries.get(role)?.socket.address
  }

  /** Opens the socket of a transport, or takes that of the other one if it has the same address. */
  async open(
    role: ListenerRole,
    overrides: TransportOverrides,
    settings: Pick<JsonRpcSettings, 'address' | 'wsAddress'>,
  ): Promise<OpenedSocket> {
    const running = this.addressOf(role)
    if (running !== undefined) throw callFailed(`${role} server already running on ${formatAddress(running)}`)
    if (this.#opening.has(role)) throw callFailed(`${role} server is starting already`)
    this.#opening.add(role)
    try {
      const configured = chooseAddress(role, overrides, settings)
      const shared = [...this.#entries.values()].find((entry) => isAt(entry, configured))
      const socket = shared?.socket ?? (await bindAddress(configured, addressSettings[role]))
      const resolved = { ...overrides, ...socket.address }
      this.#entries.set(role, { role, overrides: resolved, socket, configured })
      return { role, overrides: resolved, handle: shared === undefined ? socket.handle : undefined }
    } finally {
      this.#opening.delete(role)
    }
  }

  /** Forgets a transport; returns false if there was none. Its socket is closed if the other one does not have it. */
  close(role: ListenerRole): boolean {
    const entry = this.#entries.get(role)
    if (entry === undefined) return false
    this.#entries.delete(role)
    if (![...this.#entries.values()].some(({ socket }) => socket === entry.socket)) entry.socket.close()
    return true
  }

  closeAll(): void {
    for (const role of [...this.#entries.keys()]) this.close(role)
  }
}

const isAt = ({ socket, configured }: Entry, { host, port }: ListenAddress): boolean =>
  port === socket.address.port && (host === socket.address.host || host === configured.host)
