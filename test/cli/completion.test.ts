import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/commands.ts'
import { runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'

const scriptOf = async (shell: string): Promise<string> => {
  const program = runProgram(['completion', shell])
  expect(await program.ended()).toBe(0)
  return program.stdout()
}

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** What bash offers for the words of a command line, the last of which is not complete. */
const complete = (script: string, words: readonly string[]): readonly string[] => {
  const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _perihelion; echo "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split(' ')
}

describe('perihelion completion', () => {
  test.runIf(has('bash'))('completes commands, subcommands and flags in bash', slow, async () => {
    const script = await scriptOf('bash')
    expect(complete(script, ['perihelion', ''])).toEqual(Object.keys(commands))
    expect(complete(script, ['perihelion', 'sta'])).toEqual(['start', 'status'])
    expect(complete(script, ['perihelion', 'db', ''])).toContain('check')
    expect(complete(script, ['perihelion', 'db', 'check', '--he'])).toEqual(['--heights', '--help'])
    expect(complete(script, ['perihelion', 'start', '--json-rpc.ws'])).toContain('--json-rpc.ws-address')
    expect(complete(script, ['perihelion', 'start', '--home', '/tmp', '--chain'])).toEqual(['--chain-id'])
    expect(complete(script, ['perihelion', 'completion', ''])).toEqual(['bash', 'zsh', 'fish', '--help'])
  })

  test.each(['zsh', 'fish'])('gives %s a script that it reads', async (shell) => {
    const script = await scriptOf(shell)
    for (const name of Object.keys(commands)) expect(script).toContain(name)
    if (!has(shell)) return
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-completion-'))
    const file = join(folder, 'script')
    writeFileSync(file, script)
    const { stderr, status } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  test('refuses other shells', async () => {
    const program = runProgram(['completion', 'tcsh'])
    expect(await program.ended()).toBe(64)
    expect(program.stderr()).toContain('bash, zsh, fish')
  })
})
