import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface BalancedAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  /** The height that the answer names. */
  readonly height: number
}

export type BalancerKind = 'haproxy' | 'nginx'

/** Round robin without any stickiness; a request that a gateway did not answer goes to the next one. */
const configs: Readonly<Record<BalancerKind, (folder: string, ports: readonly number[]) => string>> = {
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
  nginx: (folder, ports) => `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr error;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
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
  readonly #folder = mkdtempSync(join(tmpdir(), 'perihelion-balancer-'))
  readonly #process: ChildProcess
  #errors = ''

  constructor(kind: BalancerKind, program: string, ports: readonly number[]) {
    const file = join(this.#folder, 'balancer.conf')
    writeFileSync(file, configs[kind](this.#folder, ports))
    const args = kind === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', this.#folder]
    this.#process = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process.stderr?.on('data', (text: Buffer) => {
      this.#errors = `${this.#errors}${text}`.slice(-2_000)
    })
  }

  async ready(): Promise<this> {
    for (let round = 0; !existsSync(this.#socket); round++) {
      if (this.#process.exitCode !== null || round > 500)
        throw new Error(`the balancer does not run: ${this.#errors}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return this
  }

  get #socket(): string {
    return join(this.#folder, 'clients.sock')
  }

  /** Asks by a connection of its own, so that each request is sent to another gateway. */
  ask(
    method: string,
    params: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BalancedAnswer> {
    return new Promise((resolve, reject) => {
      const options = {
        socketPath: this.#socket,
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

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('close', resolve))
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
