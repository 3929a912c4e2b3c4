import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { slow } from '../../support/slow.ts'

/** A full disk and a sync that fails are errors that a node can live with, never the end of the process. */

const directory = mkdtempSync(join(tmpdir(), 'perihelion-disk-'))
const worker = fileURLToPath(new URL('diskWorker.ts', import.meta.url))
const mounts: string[] = []

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

const run = (before: string[], path: string, ballast: string, minFree: number, atMost: number): string[] => {
  const [command = process.execPath, ...args] = [...before, process.execPath, '--import', 'tsx', worker]
  const { status, signal, stdout, stderr } = spawnSync(
    command,
    [...args, path, ballast, String(minFree), String(atMost)],
    {
      encoding: 'utf8',
      env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    },
  )
  expect({ status, signal, stderr: status === 0 ? '' : stderr }).toEqual({
    status: 0,
    signal: null,
    stderr: '',
  })
  return stdout.trim().split('\n')
}

/** A small file system with a ballast file on it; undefined where this user cannot make one. */
const smallDisk = (kind: 'tmpfs' | 'ext4'): string | undefined => {
  const at = mkdtempSync(join(directory, `${kind}-`))
  if (kind === 'tmpfs') {
    if (!succeeds('mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', at)) return undefined
  } else {
    const image = `${at}.img`
    execFileSync('truncate', ['-s', '32M', image])
    if (!succeeds('mkfs.ext4', '-q', image) || !succeeds('mount', '-o', 'loop', image, at)) return undefined
  }
  mounts.push(at)
  writeFileSync(join(at, 'ballast'), new Uint8Array(8 * 2 ** 20))
  return at
}

/** The failed commit may or may not be there (0 or 1 above what was acknowledged), but whole. */
const afterPoisoning = [
  'readable true',
  'then PoisonedError',
  expect.stringMatching(/^reopened [01]$/),
  'problems none',
  'resumed true',
]

describe('a disk that says no', () => {
  afterEach(() => {
    for (const at of mounts.splice(0)) execFileSync('umount', [at])
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  for (const kind of ['tmpfs', 'ext4'] as const) {
    it(
      `a full ${kind} is an error, and after reopening all acknowledged is there`,
      kind === 'ext4' ? slow : {},
      (ctx) => {
        const at = smallDisk(kind)
        if (!at) return ctx.skip(`${kind} cannot be mounted here (root only)`)
        const lines = run([], join(at, 'state.mdb'), join(at, 'ballast'), 0, 2_000)
        expect(lines[0]).toMatch(/^refused PoisonedError: commit failed/)
        expect(lines.slice(1)).toEqual(afterPoisoning)
      },
    )
  }

  it('a watermark refuses before the disk is full, and lets go when there is room', slow, (ctx) => {
    const at = smallDisk('tmpfs')
    if (!at) return ctx.skip('tmpfs cannot be mounted here (root only)')
    const lines = run([], join(at, 'state.mdb'), join(at, 'ballast'), 6 * 2 ** 20, 2_000)
    expect(lines[0]).toMatch(/^refused LowSpaceError/)
    expect(lines.slice(1)).toEqual(['readable true', 'reopened 0', 'problems none', 'resumed true'])
  })

  it('a sync that fails poisons the environment until it is opened again', slow, (ctx) => {
    if (!succeeds('strace', '-V')) return ctx.skip('strace is not installed')
    const path = join(directory, 'sync.mdb')
    // strace counts for each thread: the 60th sync of the only one that commits.
    const inject = [
      '-qq',
      '-f',
      '-o',
      '/dev/null',
      '-e',
      'trace=fdatasync',
      '-e',
      'inject=fdatasync:error=EIO:when=60',
    ]
    const lines = run(['strace', ...inject], path, join(directory, 'none'), 0, 200)
    expect(lines[0]).toMatch(/^refused PoisonedError: commit failed/)
    expect(lines.slice(1)).toEqual(afterPoisoning)
  })
})
