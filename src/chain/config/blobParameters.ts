import { GenesisError, type JsonObject, parseInteger, parseObject } from './gethJson.ts'

/** The number and price of blobs from one activation of the schedule on (EIP-7840). */
export interface BlobParameters {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
}

/** The blob parameters of schedules from before EIP-7840, which do not name them. */
const defaultBlobs: Readonly<Record<string, BlobParameters>> = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
}

/** The largest figure that a number holds exactly. */
const maxBlobFigure = BigInt(Number.MAX_SAFE_INTEGER)

const isBlobFork = (name: string): boolean => name in defaultBlobs || name.startsWith('bpo')

const parseBlobFigures = (entry: unknown, name: string): BlobParameters => {
  const fields = parseObject(entry, `blobSchedule.${name}`)
  const count = (member: string): bigint => {
    const value = parseInteger(fields[member], `blobSchedule.${name}.${member}`)
    if (value === undefined) throw new GenesisError(`blobSchedule.${name} has no ${member}`)
    if (value > maxBlobFigure)
      throw new GenesisError(
        `blobSchedule.${name}.${member} is ${value}: at most ${maxBlobFigure} is possible`,
      )
    return value
  }
  const [target, max, fraction] = [count('target'), count('max'), count('baseFeeUpdateFraction')]
  if (fraction === 0n) throw new GenesisError(`blobSchedule.${name}.baseFeeUpdateFraction is zero`)
  return { target: Number(target), max: Number(max), baseFeeUpdateFraction: fraction }
}

/** Names of forks: they are part of the lines that the hash of the rules is of, so none has a space or a line's end. */
const isForkName = /^[a-z][a-zA-Z0-9]*$/

/** Returns the blob parameters that a configuration names, also those of forks that it does not schedule. */
export const namedBlobParameters = (config: JsonObject): ReadonlyMap<string, BlobParameters> =>
  new Map(
    Object.entries(parseObject(config.blobSchedule ?? {}, 'config.blobSchedule')).flatMap(([name, entry]) => {
      if (!isForkName.test(name))
        throw new GenesisError(`blobSchedule names ${JSON.stringify(name)}, which is not a fork name`)
      return entry === null ? [] : [[name, parseBlobFigures(entry, name)] as const]
    }),
  )

/** Returns the blob parameters of a fork; undefined if it does not change them. */
export const blobParametersOf = (config: JsonObject, name: string): BlobParameters | undefined => {
  if (!isBlobFork(name)) return undefined
  const entry = parseObject(config.blobSchedule ?? {}, 'config.blobSchedule')[name]
  if (entry !== undefined && entry !== null) return parseBlobFigures(entry, name)
  const known = defaultBlobs[name]
  if (known === undefined) throw new GenesisError(`config has ${name}Time, but blobSchedule has no ${name}`)
  return known
}
