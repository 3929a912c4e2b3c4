import { renderNewGenesis } from '../../../app/export/genesis.ts'
import { fromHex } from '../../../base/encoding/hex.ts'
import { badFile, badUsage } from '../../../base/exit.ts'
import { createFileSync, writeFileAtomicallySync } from '../../../base/files/atomicFile.ts'
import { parseChainConfig } from '../../../chain/config/chainConfig.ts'
import { type ExactJson, parseExactJson } from '../../../chain/config/exactJson.ts'
import { forks } from '../../../chain/config/forks.ts'
import { GenesisError, type JsonObject, parseObject } from '../../../chain/config/gethJson.ts'
import { createDevGenesis } from '../../../chain/genesis/devGenesis.ts'
import { readGenesisFile } from '../../../chain/genesis/genesisFile.ts'
import { parseValidatorConfig } from '../../../chain/validators/validatorConfig.ts'

export interface NewGenesisFlags {
  readonly chainId: string
  readonly forkName?: string
  readonly gasLimit?: string
  readonly alloc: readonly string[]
  readonly admin?: string
}

const coin = 10n ** 18n

/** Writes a new genesis file; an existing file is not touched. */
export const newGenesis = (file: string, flags: NewGenesisFlags): void => {
  const { forkName = 'osaka', gasLimit, alloc, admin } = flags
  const chainId = wholeNumber('--chain-id', flags.chainId)
  // A larger one would not survive programs that read JSON as numbers.
  if (chainId === 0n || chainId > BigInt(Number.MAX_SAFE_INTEGER))
    throw badUsage(`--chain-id: wanted a number from 1 to ${Number.MAX_SAFE_INTEGER}`)
  const fork = forks.find((name) => name.toLowerCase() === forkName.toLowerCase())
  if (fork === undefined)
    throw badUsage(`--fork-name: got ${JSON.stringify(forkName)}, wanted one of ${forks.join(', ')}`)
  const text = renderNewGenesis(
    createDevGenesis({
      chainId,
      fork,
      accounts: alloc.map(parseAlloc),
      coinbase: new Uint8Array(20),
      timestamp: BigInt(Math.floor(Date.now() / 1000)),
      ...(gasLimit === undefined ? {} : { gasLimit: wholeNumber('--gas-limit', gasLimit) }),
      validators: admin === undefined ? undefined : { admin: checkAddress('--admin', admin) },
    }),
  )
  try {
    if (createFileSync(file, text, 0o644)) return
  } catch (error) {
    throw badFile(`${file} cannot be written: ${(error as Error).message}`)
  }
  throw badFile(`${file} exists already`)
}

export interface ValidatorFlags {
  readonly key: string
  readonly reward: string
  readonly power?: string
}

/** Adds a validator to a file and returns how many it has. */
export const addValidator = (file: string, { key, reward, power = '10' }: ValidatorFlags): number => {
  const { text } = readGenesisFile(file)
  const genesis = parseJson(file, text)
  const config = memberOf(file, genesis, 'config')
  const perihelion = memberOf(file, config, 'perihelion')
  const before = Array.isArray(perihelion.validators) ? (perihelion.validators as readonly unknown[]) : []
  const added = { pubkey: key, power, reward: checkAddress('--reward', reward) }
  const next = { ...config, perihelion: { ...perihelion, validators: [...before, added] } }
  try {
    // All of it, so that no file is written that a start rejects.
    parseChainConfig(next)
    const count = parseValidatorConfig(next)?.validators.length ?? 0
    writeFileAtomicallySync(file, `${JSON.stringify({ ...genesis, config: next }, undefined, 2)}\n`, 0o644)
    return count
  } catch (error) {
    throw error instanceof GenesisError ? badUsage(error.message) : error
  }
}

/** Integers that a number may not hold are texts then, which mean the same in a genesis. */
const parseJson = (file: string, text: string): JsonObject => {
  let exact: ExactJson
  try {
    exact = parseExactJson(text)
  } catch {
    throw badFile(`${file} is not JSON`)
  }
  if (exact.repeated !== undefined) throw badFile(`${file}: ${exact.repeated} is given twice`)
  return memberOf(file, { genesis: exact.value }, 'genesis')
}

const memberOf = (file: string, object: JsonObject, name: string): JsonObject => {
  try {
    return parseObject(object[name] === undefined ? {} : object[name], `${file}: ${name}`)
  } catch (error) {
    throw badFile((error as Error).message)
  }
}

const parseAlloc = (text: string): { readonly address: Uint8Array; readonly balance: bigint } => {
  const [address = '', coins = ''] = text.split('=', 2)
  return { address: fromHex(checkAddress('--alloc', address)), balance: wholeNumber('--alloc', coins) * coin }
}

const checkAddress = (name: string, text: string): string => {
  if (/^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text)) return text
  throw badUsage(`${name}: got ${JSON.stringify(text)}, wanted an address, 0x and 40 hex digits`)
}

const wholeNumber = (name: string, text: string): bigint => {
  if (/^\d{1,30}$/.test(text)) return BigInt(text)
  throw badUsage(`${name}: got ${JSON.stringify(text)}, wanted a whole number`)
}
