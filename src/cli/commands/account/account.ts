import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { privateKeyToAddress } from '../../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import { badFile, badUsage } from '../../../base/exit.ts'
import { loadConfig } from '../../../config/load.ts'
import { KeystoreError } from '../../../keystore/keystoreError.ts'
import { type NodeKeys, openNodeKeys } from '../../../keystore/nodeKeys.ts'
import { ensureHome } from '../../../service/home/homeFolder.ts'
import { print } from '../../output/print.ts'
import { readNewPassword, readPassword, readSecretFile } from './password.ts'

interface AccountOptions {
  readonly home?: string
  readonly lightkdf?: boolean
  readonly passwordFile?: string
  readonly newPasswordFile?: string
  readonly privateKey?: boolean
}

type AccountCommand = (
  args: readonly string[],
  options: AccountOptions,
  keys: NodeKeys,
) => Promise<void> | void

/** Defines `perihelion account`, which manages the keys of a home, whether or not a node runs on it. */
export const define = (account: Command): void => {
  defineCommand(account, 'new', 'Make a key and store it encrypted', [], create)
  defineCommand(account, 'list', 'List the accounts of the home and their files', [], list)
  defineCommand(account, 'import', 'Store a private key, or the key of a key file', ['file'], importKey)
  defineCommand(
    account,
    'export',
    'Write a key to a new file, encrypted or not',
    ['address', 'file'],
    exportKey,
  ).option('--private-key', 'write the key itself, unencrypted')
  defineCommand(account, 'update', 'Encrypt a key again, with another password', ['address'], update)
}

/**
 * Defines a subcommand. Unknown options and arguments are rejected here and not by commander, which would print them: a
 * user may have typed a password there.
 */
const defineCommand = (
  parent: Command,
  name: string,
  about: string,
  wanted: readonly string[],
  run: AccountCommand,
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
  print`${line}\n`
}

/** Prints `<address> <file>`, the format of `list`. */
const printAccount = (address: Uint8Array, { files }: NodeKeys): void => {
  const entry = files
    .files()
    .find((one) => one.address !== undefined && toHex(one.address) === toHex(address))
  writeLine(`${toHex(address)} ${entry?.path ?? ''}`)
}

const create: AccountCommand = async (_, { passwordFile }, keys) => {
  printAccount(await keys.keystore.create(await readNewPassword(passwordFile)), keys)
}

const list: AccountCommand = (_, __, { files }) => {
  for (const { address, path } of files.files())
    writeLine(`${address === undefined ? 'unknown' : toHex(address)} ${path}`)
}

const importKey: AccountCommand = async ([file = ''], options, keys) => {
  const text = readSecretFile(file, 'the file to import')
  const { passwordFile, newPasswordFile } = options
  if (!text.trimStart().startsWith('{')) {
    const key = parsePrivateKey(text)
    printAccount(
      await keys.keystore.importKey(key, await readNewPassword(newPasswordFile ?? passwordFile)),
      keys,
    )
    return
  }
  const password = await readPassword(passwordFile, 'Password of the key file: ')
  const key = await keys.decryptKeyFile(text, password)
  const isSame = newPasswordFile === undefined && passwordFile !== undefined
  const newPassword = isSame ? password : await readNewPassword(newPasswordFile, 'New password')
  printAccount(await keys.keystore.importKey(key, newPassword), keys)
}

const parsePrivateKey = (text: string): Uint8Array => {
  const [, digits] = /^\s*(?:0x)?([0-9a-fA-F]{64})\s*$/.exec(text) ?? []
  if (digits === undefined)
    throw badFile('the file to import holds neither a private key (64 hex digits) nor a key file')
  return fromHex(`0x${digits}`)
}

const parseAddress = (text: string): Uint8Array => {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text) ?? []
  if (digits === undefined) throw badUsage('the address must be 40 hex digits')
  return fromHex(`0x${digits}`)
}

const exportKey: AccountCommand = async ([address = '', file = ''], options, keys) => {
  const { passwordFile, newPasswordFile, privateKey } = options
  const password = await readPassword(passwordFile)
  const key = await keys.files.open(parseAddress(address), password)
  try {
    const text = privateKey
      ? toHex(key).slice(2)
      : await keys.encryptKeyFile(
          key,
          newPasswordFile === undefined ? password : await readNewPassword(newPasswordFile),
        )
    writeNewFile(file, `${text}\n`)
    writeLine(`${toHex(privateKeyToAddress(key))} ${file}`)
  } finally {
    key.fill(0)
  }
}

/** Writes a file that must not exist yet and that only its owner can read. */
const writeNewFile = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    throw badFile(`${file} cannot be made: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const update: AccountCommand = async ([address = ''], { passwordFile, newPasswordFile }, keys) => {
  const who = parseAddress(address)
  const password = await readPassword(passwordFile)
  await keys.files.update(who, password, await readNewPassword(newPasswordFile, 'New password'))
  printAccount(who, keys)
}
