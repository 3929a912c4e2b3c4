import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { renderSettingsDocs } from '../../config/docs.ts'
import { settingEntries } from '../../config/settings/settings.ts'
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

  test('show tells a default from one that is written to the file, and from a choice', async () => {
    const home = mkdtempSync(join(tmpdir(), 'perihelion-config-'))
    const file = join(home, 'config', 'app.toml')
    try {
      mkdirSync(join(home, 'config'))
      writeFileSync(file, 'pruning = "archive"\nmin-free-space = "1MB"\n')
      const text = await run('config', 'show', '--home', home)
      expect(text).toMatch(new RegExp(`^pruning = .* # default, written in ${file}:1$`, 'm'))
      expect(text).toMatch(new RegExp(`^min-free-space = .* # ${file}:2$`, 'm'))
      expect(text).toMatch(/^engine = .* # default$/m)
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  test('show prints the origins of URLs, and no keys', async () => {
    const text = await run(
      ...['config', 'show', '--home', '/no/such'],
      '--gateway.node=https://user:pa55word@a.example/k3y?token=t0ken,http://b.example:26657/',
      '--statesync.rpc-servers=user:pa55word@c.example:26657,http://d.example:26657',
      '--statesync.trust-height=5',
      `--statesync.trust-hash=${'ab'.repeat(32)}`,
      '--engine-rpc=http://127.0.0.1:26657/?key=k3y',
      '--fork-url=https://e.example/k3y',
      '--gateway.database=postgres://user:pa55word@f.example/name',
    ).catch((error: Error) => error.message)
    expect(text).not.toMatch(/pa55word|k3y|t0ken/)
    expect(text).toContain('gateway.node = ["https://a.example/…", "http://b.example:26657"]')
    expect(text).toContain('statesync.rpc-servers = ["c.example:26657/…", "http://d.example:26657"]')
    expect(text).toContain('engine-rpc = "http://127.0.0.1:26657/…"')
  })

  test.each([
    '--gateway.node=https://user:pa55word@host:99999',
    '--gateway.node=https://host:99999/pa55word',
    '--gateway.node=ftp://host/pa55word',
    '--gateway.node=host?key=pa55word',
    '--gateway.grpc=user:pa55word@host:9090',
    '--engine-rpc=http://user:pa55word@127.0.0.1:26657',
    '--fork-url=ftp://host/pa55word',
    '--fork-header=pa55word',
    '--gateway.peers=1=http//host/pa55word',
    '--gateway.peers=pa55word=http://host',
    '--statesync.rpc-servers=http://host/pa55word',
  ])('%s is rejected without its keys', async (flag) => {
    await expect(run('config', 'show', '--home', '/no/such', flag)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.not.stringContaining('pa55word'),
    })
  })

  test('docs prints the page, and takes flags', async () => {
    expect(await run('config', 'docs', '--dev')).toBe(renderSettingsDocs())
  })

  test.each(['show', 'docs'])('%s reports all wrong flags at once', async (name) => {
    const outcome = run('config', name, 'here', '--hom', 'x', '--dev', '--dev', '--')
    await expect(outcome).rejects.toMatchObject({
      name: 'ConfigError',
      problems: [
        expect.stringContaining('argument 1:'),
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
        `${name} ${kind.alone ? `[${kind.label}]` : `<${kind.label}>`} ${about} (default: ${kind.toToml(value)}`,
      )
    expect(help.indexOf('\nSettings of [json-rpc]:')).toBeLessThan(help.indexOf('--json-rpc.enable'))
    expect(help.split('\n').every((line) => line.length <= 110)).toBe(true)
  })
})
