import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address that stays while the node behind it goes away and comes back elsewhere. */
export interface Relay {
  readonly url: string
  /** Leads to another address; undefined breaks every connection and refuses new ones. */
  lead(target: string | undefined): void
  close(): Promise<void>
}

export const startRelay = async (): Promise<Relay> => {
  let port: number | undefined
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    keep(client)
    if (port === undefined) return void client.destroy()
    const node = connect(port, '127.0.0.1')
    keep(node)
    client.pipe(node).pipe(client)
    client.on('close', () => node.destroy())
    node.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (target) => {
      port = target === undefined ? undefined : Number(new URL(target).port)
      for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
