import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { transformWithOxc } from 'vite'
import { type Block, root } from './markdown.ts'
import { assertPrinted } from './printed.ts'

interface Output {
  readonly code: number | NodeJS.Signals
  /** Standard output, then standard error. */
  readonly text: string
}

/** Tools of pages that are not on the path: `FOUNDRY_BIN` has forge and cast, `PYTHON_BIN` a python3 with web3. */
const toolFolders = [process.env.FOUNDRY_BIN, process.env.PYTHON_BIN].filter((folder) => folder !== undefined)

/** Whether what a block needs is here: a program, or `python3:web3`, a program with a module. */
const isHere = (need: string): boolean => {
  const [program = '', module] = need.split(':')
  const command = module === undefined ? `command -v ${program}` : `${program} -c 'import ${module}'`
  const PATH = [...toolFolders, process.env.PATH].join(':')
  return spawnSync('sh', ['-c', command], { env: { PATH } }).status === 0
}

/**
 * Runs the blocks of one page one after the other, as a reader would who has nothing but the page: in an empty folder, with
 * `perihelion` on the path and a home of its own. A node that a block starts takes free ports, and later blocks find it there
 * under the ports that the page names.
 */
export class PageRun {
  /** The ports that the page names, and those that they stand for. */
  readonly #ports = new Map<string, string>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'perihelion-page-'))
  readonly #served: ChildProcess[] = []
  #last: Output | undefined
  #count = 0

  constructor(ports: Readonly<Record<string, string>> = {}) {
    for (const [named, real] of Object.entries(ports)) this.#ports.set(named, real)
    const bin = join(this.#folder, '.bin')
    mkdirSync(bin)
    const command = join(bin, 'perihelion')
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/cli/main.js')}' "$@"\n`)
    chmodSync(command, 0o755)
    this.#installPackages()
  }

  /** Does what the comment before a block says. Returns why it did not, if it did not. */
  async run(block: Block): Promise<string | undefined> {
    const { directive } = block
    if (directive === undefined) return undefined
    switch (directive.name) {
      case 'file':
        this.#write(directive.argument, this.#replacePorts(block.text))
        return undefined
      case 'serve':
        await this.#serve(block.text)
        return undefined
      case 'output':
        this.#compare(block.text)
        return undefined
      // Of several machines: test/network/documented runs these.
      case 'on':
      case 'start':
      case 'refused':
      case 'shown':
        return undefined
      default:
        this.#last = undefined
        if (directive.argument !== '' && !isHere(directive.argument)) return `no ${directive.argument} here`
        this.#last = await this.#execute(block)
        if ((this.#last.code === 0) !== (directive.name === 'run'))
          throw new Error(`ended with ${this.#last.code}:\n${block.text}\n---\n${this.#last.text}`)
        return undefined
    }
  }

  async close(): Promise<void> {
    for (const child of this.#served.splice(0)) await this.#stop(child)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** What a reader would have installed: the packages of this tree, and the program itself as a library. */
  #installPackages(): void {
    const modules = join(this.#folder, 'node_modules')
    mkdirSync(modules)
    for (const name of readdirSync(join(root, 'node_modules')))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
    if (!existsSync(join(modules, 'perihelion'))) symlinkSync(root, join(modules, 'perihelion'))
    this.#write('package.json', '{ "type": "module" }')
  }

  #write(name: string, text: string): string {
    const file = join(this.#folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${text}\n`)
    return file
  }

  #replacePorts(text: string): string {
    return text.replace(
      /\b(127\.0\.0\.1|localhost):(\d+)/g,
      (_, host, port) => `${host}:${this.#ports.get(port) ?? port}`,
    )
  }

  async #command({
    language,
    text,
  }: Pick<Block, 'language' | 'text'>): Promise<readonly [string, ...string[]]> {
    const name = `block-${++this.#count}`
    switch (language) {
      case 'sh':
        return ['sh', '-eu', this.#write(`${name}.sh`, text)]
      case 'js':
        return [process.execPath, this.#write(`${name}.mjs`, text)]
      case 'ts': {
        const { code } = await transformWithOxc(text, `${name}.ts`)
        return [process.execPath, this.#write(`${name}.mjs`, code)]
      }
      case 'python':
        return ['python3', this.#write(`${name}.py`, text)]
      default:
        throw new Error(`a block of ${language} cannot be run`)
    }
  }

  #spawn([program, ...args]: readonly [string, ...string[]]): ChildProcess {
    return spawn(program, args, {
      cwd: this.#folder,
      // A group of its own: a shell and what it started end together.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: [join(this.#folder, '.bin'), ...toolFolders, process.env.PATH].join(':'),
        HOME: this.#folder,
        PERIHELION_JSON_RPC_ADDRESS: '127.0.0.1:0',
        PERIHELION_JSON_RPC_WS_ADDRESS: '127.0.0.1:0',
      },
    })
  }

  async #execute({ language, text }: Block): Promise<Output> {
    const child = this.#spawn(await this.#command({ language, text: this.#replacePorts(text) }))
    this.#served.push(child)
    const parts = { stdout: '', stderr: '' }
    child.stdout?.on('data', (chunk) => {
      parts.stdout += chunk
    })
    child.stderr?.on('data', (chunk) => {
      parts.stderr += chunk
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals]
    return { code: code ?? signal, text: parts.stdout + parts.stderr }
  }

  /** Starts what goes on until the end of the page, on free ports. */
  async #serve(text: string): Promise<void> {
    const named = (setting: string, standard: string): string =>
      new RegExp(`--${setting}[ =]\\S*:(\\d+)`).exec(text)?.[1] ?? standard
    const http = named('json-rpc\\.address', /--port[ =](\d+)/.exec(text)?.[1] ?? '8545')
    const ws = named('json-rpc\\.ws-address', '8546')
    const free = this.#replacePorts(text)
      .replace(/(--json-rpc\.(?:ws-)?address[ =]\S*):\d+/g, '$1:0')
      .replace(/perihelion anvil(?=\s|$)(.*)/, (_, rest: string) =>
        `perihelion anvil --port 0${rest}`.replace(/(--port 0.*)(?: --port[ =]\d+)/, '$1'),
      )
    const child = this.#spawn(await this.#command({ language: 'sh', text: free }))
    this.#served.push(child)
    let output = ''
    const ended = once(child, 'close')
    const ready = new Promise<void>((resolve) => {
      const look = (chunk: Buffer): void => {
        output += chunk
        const [, httpPort, wsPort] =
          /perihelion ready http=\S+:(\d+)(?: ws=\S+:(\d+))? .*\n/.exec(output) ??
          /Listening on \S+:(\d+)\s/.exec(output) ??
          []
        if (httpPort === undefined) return
        this.#ports.set(http, httpPort)
        this.#ports.set(ws, wsPort ?? httpPort)
        resolve()
      }
      child.stdout?.on('data', look)
      child.stderr?.on('data', look)
    })
    await Promise.race([
      ready,
      ended.then(([code]) => Promise.reject(new Error(`ended with ${code}:\n${text}\n---\n${output}`))),
    ])
  }

  #compare(expected: string): void {
    const printed = this.#last?.text
    if (printed === undefined) return // The block before was not run here.
    assertPrinted(this.#replacePorts(expected), printed)
  }

  async #stop(child: ChildProcess): Promise<void> {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'close')
    process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}
