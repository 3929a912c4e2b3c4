import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from './findProgram.ts'

export const proxyKinds = ['haproxy', 'nginx'] as const
export type ProxyKind = (typeof proxyKinds)[number]

/** Returns the program. Debian has it where only root looks. */
export const findProxy = (kind: ProxyKind): string | undefined =>
  findProgram(kind) ?? [`/usr/sbin/${kind}`].find(existsSync)

/** The start of a configuration of nginx that writes nothing outside of a folder. */
export const nginxBasics = (folder: string): string => `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr error;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;`

/** A proxy that listens on `clients.sock` in the folder that its configuration gets. */
export class ProxyProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'perihelion-proxy-'))
  readonly #process: ChildProcess
  #errors = ''

  constructor(kind: ProxyKind, program: string, toConfig: (folder: string) => string) {
    const file = join(this.#folder, 'proxy.conf')
    writeFileSync(file, toConfig(this.#folder))
    const args = kind === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', this.#folder]
    this.#process = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process.stderr?.on('data', (text: Buffer) => {
      this.#errors = `${this.#errors}${text}`.slice(-2_000)
    })
  }

  async ready(): Promise<this> {
    for (let round = 0; !existsSync(this.socketPath); round++) {
      if (this.#process.exitCode !== null || round > 500)
        throw new Error(`the proxy does not run: ${this.#errors}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return this
  }

  get socketPath(): string {
    return join(this.#folder, 'clients.sock')
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
