import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findProxy, nginxBasics, type ProxyKind, ProxyProcess } from '../../support/programs/proxyProcess.ts'

/** A proxy that sends the requests of all of its clients over connections that it keeps. */
export interface ReusingProxy {
  /** A URL or the path of a socket. */
  readonly target: string
  close(): Promise<void>
}

const configs: Readonly<Record<ProxyKind, (folder: string, port: number) => string>> = {
  haproxy: (folder, port) => `
global
  nbthread 1
defaults
  mode http
  timeout connect 100s
  timeout client 100s
  timeout server 100s
  http-reuse always
frontend clients
  bind unix@${folder}/clients.sock
  default_backend node
backend node
  server node 127.0.0.1:${port}
`,
  nginx: (folder, port) => `${nginxBasics(folder)}
  upstream node {
    server 127.0.0.1:${port} max_fails=0;
    keepalive 1;
  }
  server {
    listen unix:${folder}/clients.sock;
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
      proxy_next_upstream off;
    }
  }
}
`,
}

/** The headers that end at a proxy. */
const ownHeaders = ['connection', 'upgrade', 'keep-alive', 'expect', 'trailer']

/** Starts a proxy of our own with one connection to the server. */
const startOwnProxy = async (port: number): Promise<ReusingProxy> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const server = createServer((incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).filter(([name]) => !ownHeaders.includes(name))
    const { method, url: path } = incoming
    const sent = request(
      { agent, host: '127.0.0.1', port, method, path, headers: Object.fromEntries(headers) },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0)
        answer.pipe(outgoing)
      },
    )
    sent.on('error', () => outgoing.writableEnded || outgoing.writeHead(502).end())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    target: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      agent.destroy()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const startInstalled = async (kind: ProxyKind, port: number): Promise<ReusingProxy> => {
  const proxy = new ProxyProcess(kind, findProxy(kind) ?? '', (folder) => configs[kind](folder, port))
  await proxy.ready()
  return { target: proxy.socketPath, close: () => proxy.close() }
}

/** Starts a proxy in front of a port of this machine. */
export const startProxy = (kind: 'ours' | ProxyKind, port: number): Promise<ReusingProxy> =>
  kind === 'ours' ? startOwnProxy(port) : startInstalled(kind, port)
