import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually } from './eventually.ts'
import { freePort } from './freePort.ts'

const folders = '/usr/lib/postgresql'

/** Where Debian puts the programs of its newest PostgreSQL from 15 on. */
const programs = (existsSync(folders) ? readdirSync(folders) : [])
  .map(Number)
  .filter((version) => version >= 15 && existsSync(join(folders, String(version), 'bin/initdb')))
  .sort((a, b) => b - a)
  .map((version) => join(folders, String(version), 'bin'))[0]

export const hasPostgres = programs !== undefined

/** Stands behind the name of what is skipped without a server. */
export const postgresNote = hasPostgres
  ? ''
  : ' (skipped: there is no PostgreSQL 15 or newer in /usr/lib/postgresql)'

/** PostgreSQL refuses to run as root: then it runs as the user of Debian's package. */
const user = (): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: string): number =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

interface PostgresOptions {
  /** More settings of the server, as `fsync=on`. */
  readonly settings?: readonly string[]
  /** Begins with the data of another server, as its standby. */
  readonly standbyOf?: PostgresServer
  /** Has a file system of its own that is so large, where this user may make one: `hasRoom` says so. */
  readonly size?: string
}

/** Makes a file system in memory that is so large. Returns whether it may. */
const mountRoom = (folder: string, size: string, owner: ReturnType<typeof user>): boolean => {
  const options = `size=${size}${owner === undefined ? '' : `,uid=${owner.uid},gid=${owner.gid}`}`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder], { stdio: 'ignore' }).status === 0
}

/** A PostgreSQL server of a test's own, on a free port and with a folder of its own, where everybody on this machine is let in. */
export class PostgresServer {
  readonly port: number
  /** Whether it has a file system of its own, which can be filled. */
  readonly hasRoom: boolean
  readonly #folder: string
  #settings: readonly string[]
  #process: ChildProcess | undefined

  private constructor(folder: string, port: number, settings: readonly string[], hasRoom: boolean) {
    this.#folder = folder
    this.port = port
    this.hasRoom = hasRoom
    this.#settings = settings
  }

  static async start({ settings = [], standbyOf, size }: PostgresOptions = {}): Promise<PostgresServer> {
    const owner = user()
    // The temporary folder may be of a user that the server's may not pass.
    const folder = await mkdtemp(join(owner === undefined ? tmpdir() : '/tmp', 'postgres-'))
    if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
    const hasRoom = size !== undefined && mountRoom(folder, size, owner)
    const server = new PostgresServer(folder, await freePort(), settings, hasRoom)
    try {
      if (standbyOf === undefined)
        await server.#run('initdb', [
          '-A',
          'trust',
          '-U',
          'postgres',
          '-N',
          '-E',
          'UTF8',
          '--locale=C',
          server.data,
        ])
      else
        await server.#run('pg_basebackup', ['-D', server.data, '-R', '-X', 'stream', '-d', standbyOf.url()])
      await server.begin()
    } catch (error) {
      await server.close()
      throw error
    }
    return server
  }

  /** Takes all the room that its file system has. */
  async fill(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder)
    await writeFile(this.#filler, Buffer.alloc(bavail * bsize)).catch(() => undefined)
  }

  /** Gives the room back, and starts it again if it has ended without. */
  async empty(): Promise<void> {
    await rm(this.#filler, { force: true })
    const server = this.#process
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) await this.begin()
  }

  /** Runs a statement as its owner, and returns what it printed. */
  async query(statement: string): Promise<string> {
    return (await this.#run('psql', ['-tAc', statement, this.url()])).trim()
  }

  /** The process that started all its others. */
  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('the server does not run')
    return pid
  }

  get #filler(): string {
    return join(this.#folder, 'filler')
  }

  get data(): string {
    return join(this.#folder, 'data')
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  /** Starts it, after it was stopped or killed; from now on with more settings, if there are some. */
  async begin(more: readonly string[] = []): Promise<void> {
    this.#settings = [...this.#settings, ...more]
    const settings = [
      ...['listen_addresses=127.0.0.1', `unix_socket_directories=${this.#folder}`, `port=${this.port}`],
      // The system does not crash in these tests: what was written is there.
      ...['fsync=off', 'max_connections=50', 'shared_buffers=16MB', ...this.#settings],
    ].flatMap((setting) => ['-c', setting])
    const server = this.#spawn('postgres', ['-D', this.data, ...settings])
    this.#process = server
    const said: string[] = []
    await new Promise<void>((resolve, reject) => {
      server.once('exit', () => reject(new Error(`PostgreSQL ended:\n${said.join('\n')}`)))
      // It is also read from then on, so that a full pipe does not stop the server.
      server.stdout?.resume()
      createInterface({ input: server.stderr as NodeJS.ReadableStream }).on('line', (line) => {
        if (said.length < 100) said.push(line)
        if (/ready to accept (?:read-only )?connections/.test(line)) resolve()
      })
    })
  }

  /** Ends it in order, with `SIGINT`: clients are sent away. */
  async stop(): Promise<void> {
    await this.#end(() => this.#process?.kill('SIGINT'))
  }

  /** Kills it and all of its processes, as a machine does that fails. */
  async kill(): Promise<void> {
    await this.#end(() => this.#signal('SIGKILL'))
  }

  /** Stops all of its processes where they are: connections stay, and nothing answers. */
  freeze(): void {
    this.#signal('SIGSTOP')
  }

  thaw(): void {
    this.#signal('SIGCONT')
  }

  /** Waits until a standby has what its primary wrote up to a position. */
  async waitFor(position: string): Promise<void> {
    const query = `select pg_last_wal_replay_lsn() >= '${position}'`
    await eventually(async () => (await this.query(query)) === 't')
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.#run('pg_ctl', ['promote', '-w', '-D', this.data])
  }

  /** Ends it and removes its folder. */
  async close(): Promise<void> {
    await this.kill()
    if (this.hasRoom) spawnSync('umount', [this.#folder])
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #end(end: () => void): Promise<void> {
    const server = this.#process
    this.#process = undefined
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    this.#process = server
    const ended = once(server, 'exit')
    end()
    await ended
    this.#process = undefined
  }

  /** The server first: it would start others. Its processes are in groups of their own. */
  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid
    if (pid === undefined) return
    const send = (to: number): void => {
      try {
        process.kill(to, signal)
      } catch {
        // It has ended.
      }
    }
    // It is stopped before it is asked for its processes, so that it starts no other one meanwhile.
    if (signal === 'SIGKILL') process.kill(pid, 'SIGSTOP')
    for (const each of [pid, ...childrenOf(pid)]) send(each)
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    return spawn(join(programs as string, program), args, {
      ...user(),
      cwd: this.#folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** Returns what a program printed. */
  async #run(program: string, args: readonly string[]): Promise<string> {
    const running = this.#spawn(program, args)
    const said: string[] = []
    const printed: string[] = []
    running.stderr?.on('data', (data) => said.push(String(data)))
    running.stdout?.on('data', (data) => printed.push(String(data)))
    const [code] = await once(running, 'close')
    if (code !== 0) throw new Error(`${program}: ${said.join('')}`)
    return printed.join('')
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '')
      .map(Number)
  } catch {
    return [] // it has none
  }
}
