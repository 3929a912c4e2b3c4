import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders that stand for images: a Debian that debootstrap makes, and in it what the image would have. */

/** Runs a program to its end, with its output as ours; throws if it fails. */
export const runIn = (
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): void => {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`)
}

/** The packages of the image of Go, which builds nothing in C here. */
const packages = 'ca-certificates,git'
const tlsRoots = 'etc/ssl/certs/ca-certificates.crt'

export const copyTree = (from: string, to: string): void =>
  runIn('cp', ['-a', '--one-file-system', '--reflink=auto', from, to])

export class Roots {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Makes the root of an image, `node:22-bookworm-slim@…` or `golang:1.26-bookworm@…`; returns its folder and variables. */
  create(image: string, name: string): { readonly root: string; readonly env: Record<string, string> } {
    const [, program = '', version = '', release = ''] = /^(\w+):([\d.]+)-([a-z]+)/.exec(image) ?? []
    const root = join(this.#folder, name)
    copyTree(this.#debian(release), root)
    if (program === 'node') return { root, env: this.#addNode(root, version) }
    if (program === 'golang') return { root, env: this.#addGo(root) }
    throw new Error(`nothing is known of the image ${image}`)
  }

  #debian(release: string): string {
    const root = join(this.#folder, release)
    if (existsSync(root)) return root
    runIn('debootstrap', ['--variant=minbase', `--include=${packages}`, release, root])
    // Names and certificates are those of this machine.
    for (const file of ['etc/resolv.conf', 'etc/hosts', tlsRoots])
      if (existsSync(join('/', file))) cpSync(join('/', file), join(root, file), { dereference: true })
    return root
  }

  /** The program and npm of that version, as the registry of npm has them, and the user of the image. */
  #addNode(root: string, major: string): Record<string, string> {
    const from = join(this.#folder, `node-${major}`)
    if (!existsSync(from)) {
      mkdirSync(from)
      // Programs of the official archives, as a package for each system.
      runIn('npm', ['pack', '--silent', `node-linux-${process.arch}@${major}`, 'npm@10'], { cwd: from })
    }
    const local = join(root, 'usr/local')
    for (const file of readdirSync(from)) {
      const to = file.startsWith('npm-') ? join(local, 'lib/node_modules/npm') : local
      mkdirSync(to, { recursive: true })
      const only = file.startsWith('npm-') ? [] : ['package/bin']
      runIn('tar', ['-xzf', join(from, file), '-C', to, '--strip-components=1', '--no-same-owner', ...only])
    }
    runIn('ln', ['-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm')])
    runIn('chroot', [root, 'groupadd', '--gid', '1000', 'node'])
    runIn('chroot', [root, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node'])
    return { PATH: systemPath, NODE_EXTRA_CA_CERTS: `/${tlsRoots}` }
  }

  /** The Go of this machine. */
  #addGo(root: string): Record<string, string> {
    const { stdout } = spawnSync('go', ['env', 'GOROOT'], { encoding: 'utf8' })
    copyTree(stdout.trim(), join(root, 'usr/local/go'))
    return { PATH: `/go/bin:/usr/local/go/bin:${systemPath}`, GOPATH: '/go', GOTOOLCHAIN: 'local' }
  }
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
