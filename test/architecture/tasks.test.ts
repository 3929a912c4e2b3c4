import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { suites } from '../../bench/suites.ts'
import { type Task, type TaskTable, taskTables } from '../../scripts/tasks.ts'
import { slow } from '../support/slow.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
const tables: Readonly<Record<string, TaskTable>> = taskTables
const tasks: readonly Task[] = Object.values(tables).flatMap((table) => Object.values(table))

const pathsOf = ({ command }: Task): readonly string[] =>
  'tsx' in command ? [command.tsx] : command.vitest.filter((arg) => !arg.startsWith('-'))

/** Every text of the project that speaks of commands. */
const texts = ['README.md', 'CONTRIBUTING.md', 'docs', 'src', 'test', 'bench', 'scripts', 'vitest.config.ts']
  .flatMap((name) =>
    statSync(join(root, name)).isDirectory()
      ? readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path))
      : [name],
  )
  .filter((path) => /\.(?:ts|mjs|md)$/.test(path))

describe('the table of tasks', () => {
  test('names files that are there and variables that somebody reads', () => {
    const paths = tasks.flatMap(pathsOf)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const variables = tasks.flatMap(({ env }) => Object.keys(env ?? {}))
    const code = texts
      .filter((path) => path.startsWith('test') || path.endsWith('.test.ts'))
      .map((path) => readFileSync(join(root, path), 'utf8'))
    expect(variables.filter((name) => !code.some((text) => text.includes(`process.env.${name}`)))).toEqual([])
  })

  test('has every suite of the bench, and a suite is a folder whose parts can be loaded', slow, async () => {
    const folders = readdirSync(join(root, 'bench'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['support', 'results'].includes(entry.name))
      .map(({ name }) => name)
    expect(folders.sort()).toEqual(Object.keys(suites).sort())
    expect(Object.keys(taskTables.bench).sort()).toEqual(Object.keys(suites).sort())
    for (const { parts } of Object.values(suites))
      for (const load of Object.values(parts)) expect(typeof (await load()).part.run).toBe('function')
  })

  test('is all that package.json has of them', () => {
    expect(Object.keys(scripts).length).toBeLessThan(18)
  })

  test('no text names a command that is not there', () => {
    const wrong = texts.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/npm run ([a-z:]+)(?: -- ([a-z]\w*))?/gi)]
        .filter(([, script = '', name]) => {
          if (!Object.hasOwn(scripts, script)) return true
          const table = tables[script]
          return name !== undefined && name !== 'all' && table !== undefined && !Object.hasOwn(table, name)
        })
        .map(([text]) => `${path}: ${text}`),
    )
    expect(wrong).toEqual([])
  })

  test('an unknown name is told the nearest one', () => {
    const args = ['--import', 'tsx', 'scripts/task.ts', 'long', 'cohrence']
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toContain('did you mean "coherence"?')
  })
})
