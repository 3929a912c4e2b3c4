import { Command } from 'commander'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { renderSettingsDocs } from '../config/docs.ts'
import { settingEntries } from '../config/settings.ts'
import { define } from './config.ts'

afterEach(() => vi.restoreAllMocks())

const run = async (...args: string[]): Promise<string> => {
  let output = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text)
    return true
  })
  const program = new Command('perihelion').exitOverride()
  define(program.command('config'))
  for (const command of program.commands.flatMap((config) => [config, ...config.commands]))
    command.exitOverride()
  await program.parseAsync(args, { from: 'user' })
  return output
}

describe('perihelion config', () => {
  test('show prints every value with its source', async () => {
    const lines = (
      await run('config', 'show', '--home', '/no/such', '--dev', 'false', '--json-rpc.http-timeout=1.5s')
    ).split('\n')
    expect(lines).toHaveLength(settingEntries.length + 1)
    expect(lines[0]).toMatch(/^home = "\/no\/such" +# --home$/)
    expect(lines.find((line) => line.startsWith('dev'))).toMatch(/^dev = false +# --dev$/)
    expect(lines.find((line) => line.includes('http-timeout'))).toMatch(
      /= "1500ms" +# --json-rpc.http-timeout$/,
    )
    expect(lines.find((line) => line.includes('log.level'))).toMatch(/^log.level = "info" +# default$/)
  })

  test('docs prints the page, and takes flags', async () => {
    expect(await run('config', 'docs', '--dev')).toBe(renderSettingsDocs())
  })

  test.each(['show', 'docs'])('%s reports all wrong flags at once', async (name) => {
    const outcome = run('config', name, 'here', '--hom', 'x', '--dev', '--dev', '--')
    await expect(outcome).rejects.toMatchObject({
      name: 'ConfigError',
      problems: [
        expect.stringContaining('"here"'),
        expect.stringContaining('--hom:'),
        expect.stringContaining('--dev: given more than once'),
        expect.stringContaining('"--"'),
      ],
    })
  })

  test('the whole help shows each flag with default and meaning, by section', async () => {
    let help = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      help += String(text)
      return true
    })
    const program = new Command('perihelion')
    define(program.command('config'))
    program.commands[0]?.commands[0]?.exitOverride()
    const args = ['config', 'show', '--dev', '--help', '--all']
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'perihelion', ...args])
    await expect(program.parseAsync(args, { from: 'user' })).rejects.toMatchObject({
      code: 'commander.helpDisplayed',
    })
    const flat = help.replaceAll(/\n {6}/g, ' ')
    for (const [name, { kind, about, default: value }] of settingEntries)
      expect(flat).toContain(
        `${name} ${kind.alone ? '[boolean]' : `<${kind.label}>`} ${about} (default: ${kind.toToml(value)}`,
      )
    expect(help.indexOf('\nSettings of [json-rpc]:')).toBeLessThan(help.indexOf('--json-rpc.enable'))
    expect(help.split('\n').every((line) => line.length <= 110)).toBe(true)
  })
})
