import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { privateKeyToAddress } from '../../base/crypto.ts'
import { badFile, badUsage } from '../../base/exit.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { loadConfig } from '../../config/load.ts'
import { KeystoreError } from '../../keystore/keystoreError.ts'
import { type NodeKeys, openNodeKeys } from '../../keystore/nodeKeys.ts'
import { ensureHome } from '../../service/home.ts'
import { readSecretFile, takeNewPassword, takePassword } from './password.ts'

interface AccountOptions {
  readonly home?: string
  readonly lightkdf?: boolean
  readonly passwordFile?: string
  readonly newPasswordFile?: string
  readonly privateKey?: boolean
}

type Run = (args: readonly string[], options: AccountOptions, keys: NodeKeys) => Promise<void> | void

/** `perihelion account`: the keys of a home, whether or not a node runs on it. */
export const register = (program: Command): void => {
  const account = program.command('account').description('Make, list, import, export and re-encrypt keys')
  define(account, 'new', 'Make a key and store it encrypted', [], create)
  define(account, 'list', 'List the accounts of the home and their files', [], list)
  define(account, 'import', 'Store a private key, or the key of a key file', ['file'], importKey)
  define(
    account,
    'export',
    'Write a key to a new file, encrypted or not',
    ['address', 'file'],
    exportKey,
  ).option('--private-key', 'write the key itself, unencrypted')
  define(account, 'update', 'Encrypt a key again, with another password', ['address'], update)
}

/**
 * Unknown options and arguments are refused here and not by commander, which would print them: somebody may have
 * typed a password there.
 */
const define = (
  parent: Command,
  name: string,
  about: string,
  wanted: readonly string[],
  run: Run,
): Command => {
  const command = parent
    .command(name)
    .description(about)
    .usage(`${wanted.map((one) => `<${one}> `).join('')}[options]`)
    .option('--home <dir>', 'the home (default: as for start)')
    .allowUnknownOption()
    .allowExcessArguments()
  if (name !== 'list') {
    command
      .option(
        '--password-file <file>',
        'the password is the first line of this file; without it you are asked',
      )
      .option('--lightkdf', 'encrypt with less memory and time')
  }
  if (wanted.length > 0)
    command.option('--new-password-file <file>', 'the password for what is written, where it is another one')
  return command.action(async (options: AccountOptions, self: Command) => {
    const { args } = self
    if (args.length !== wanted.length || args.some((one) => one.startsWith('-'))) {
      const names = wanted.map((one) => `<${one}>`).join(' ') || 'no arguments'
      throw badUsage(
        `account ${name} takes ${names} and the options of --help; passwords come from a file or are typed`,
      )
    }
    await withKeys(options, (keys) => run(args, options, keys))
  })
}

const withKeys = async (
  { home, lightkdf }: AccountOptions,
  work: (keys: NodeKeys) => Promise<void> | void,
): Promise<void> => {
  const flags = [...(home === undefined ? [] : [`--home=${home}`]), ...(lightkdf ? ['--lightkdf'] : [])]
  const { config } = loadConfig({ flags, env: process.env })
  ensureHome(config.home)
  try {
    const keys = openNodeKeys({ home: config.home, isLight: config.lightkdf, devKeys: [] })
    try {
      await work(keys)
    } finally {
      keys.close()
    }
  } catch (error) {
    throw error instanceof KeystoreError ? badFile(error.message) : error
  }
}

const writeLine = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** `<address> <file>`, as `list` has it. */
const show = (address: Uint8Array, { files }: NodeKeys): void => {
  const entry = files
    .files()
    .find((one) => one.address !== undefined && toHex(one.address) === toHex(address))
  writeLine(`${toHex(address)} ${entry?.path ?? ''}`)
}

const create: Run = async (_, { passwordFile }, keys) => {
  show(await keys.keystore.create(await takeNewPassword(passwordFile)), keys)
}

const list: Run = (_, __, { files }) => {
  for (const { address, path } of files.files())
    writeLine(`${address === undefined ? 'unknown' : toHex(address)} ${path}`)
}

const importKey: Run = async ([file = ''], options, keys) => {
  const text = readSecretFile(file, 'the file to import')
  const { passwordFile, newPasswordFile } = options
  if (!text.trimStart().startsWith('{')) {
    const key = readPrivateKey(text)
    show(await keys.keystore.importKey(key, await takeNewPassword(newPasswordFile ?? passwordFile)), keys)
    return
  }
  const password = await takePassword(passwordFile, 'Password of the key file: ')
  const key = await keys.openForeign(text, password)
  const isSame = newPasswordFile === undefined && passwordFile !== undefined
  const newPassword = isSame ? password : await takeNewPassword(newPasswordFile, 'New password')
  show(await keys.keystore.importKey(key, newPassword), keys)
}

const readPrivateKey = (text: string): Uint8Array => {
  const [, digits] = /^\s*(?:0x)?([0-9a-fA-F]{64})\s*$/.exec(text) ?? []
  if (digits === undefined)
    throw badFile('the file to import holds neither a private key (64 hex digits) nor a key file')
  return fromHex(`0x${digits}`)
}

const readAddress = (text: string): Uint8Array => {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text) ?? []
  if (digits === undefined) throw badUsage('the address must be 40 hex digits')
  return fromHex(`0x${digits}`)
}

const exportKey: Run = async ([address = '', file = ''], options, keys) => {
  const { passwordFile, newPasswordFile, privateKey } = options
  const password = await takePassword(passwordFile)
  const key = await keys.files.open(readAddress(address), password)
  try {
    const text = privateKey
      ? toHex(key).slice(2)
      : await keys.encryptForeign(
          key,
          newPasswordFile === undefined ? password : await takeNewPassword(newPasswordFile),
        )
    writeNewFile(file, `${text}\n`)
    writeLine(`${toHex(privateKeyToAddress(key))} ${file}`)
  } finally {
    key.fill(0)
  }
}

/** Never in place of another file, and for nobody else to read. */
const writeNewFile = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    throw badFile(`${file} cannot be made: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const update: Run = async ([address = ''], { passwordFile, newPasswordFile }, keys) => {
  const who = readAddress(address)
  const password = await takePassword(passwordFile)
  await keys.files.update(who, password, await takeNewPassword(newPasswordFile, 'New password'))
  show(who, keys)
}
