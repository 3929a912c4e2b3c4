import { request } from 'node:http'
import { nginxBasics, type ProxyKind, ProxyProcess } from '../../support/programs/proxyProcess.ts'

export interface BalancedAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  /** The height that the answer names. */
  readonly height: number
}

/** Round robin without any stickiness; a request that a gateway did not answer goes to the next one. */
const configs: Readonly<Record<ProxyKind, (folder: string, ports: readonly number[]) => string>> = {
  haproxy: (folder, ports) => `
global
  maxconn 256
defaults
  mode http
  timeout connect 2s
  timeout client 70s
  timeout server 70s
  option redispatch 1
  retries 5
  retry-on conn-failure empty-response 503
frontend clients
  bind unix@${folder}/clients.sock
  default_backend gateways
backend gateways
  balance roundrobin
${ports.map((port, index) => `  server gateway${index + 1} 127.0.0.1:${port}`).join('\n')}
`,
  nginx: (folder, ports) => `${nginxBasics(folder)}
  upstream gateways {
${ports.map((port) => `    server 127.0.0.1:${port} max_fails=0;`).join('\n')}
  }
  server {
    listen unix:${folder}/clients.sock;
    location / {
      proxy_pass http://gateways;
      proxy_next_upstream error timeout http_503 non_idempotent;
    }
  }
}
`,
}

/** A balancer in front of ports of this machine, reached by a socket of its own. */
export class Balancer {
  readonly #proxy: ProxyProcess

  constructor(kind: ProxyKind, program: string, ports: readonly number[]) {
    this.#proxy = new ProxyProcess(kind, program, (folder) => configs[kind](folder, ports))
  }

  async ready(): Promise<this> {
    await this.#proxy.ready()
    return this
  }

  /** Asks by a connection of its own, so that each request is sent to another gateway. */
  ask(
    method: string,
    params: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BalancedAnswer> {
    return new Promise((resolve, reject) => {
      const options = {
        socketPath: this.#proxy.socketPath,
        method: 'POST',
        agent: false,
        headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
      }
      const sent = request(options, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString()
          if (response.statusCode !== 200) return reject(new Error(`${response.statusCode}: ${text}`))
          const height = Number(response.headers['x-perihelion-height'])
          resolve({ ...(JSON.parse(text) as Omit<BalancedAnswer, 'height'>), height })
        })
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    })
  }

  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.ask(method, params)
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
    return result as T
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}
