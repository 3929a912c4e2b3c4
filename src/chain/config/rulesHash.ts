import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import { namedBlobParameters } from './blobParameters.ts'
import type { ChainConfig } from './chainConfig.ts'
import { describeLimits } from './limits.ts'

/**
 * The part of a chain's rules that neither its first block nor its fork schedule has: forks that begin at a block, the
 * contract of deposits, the blob figures of every fork that the configuration names, scheduled or not, limits that are not Ethereum's.
 */

/**
 * The figures that Ethereum gave these forks: a file that names them says the same as one that does not. The list is part
 * of what chains commit to, so it stays as it is when there are more forks.
 */
const impliedBlobs: Readonly<Record<string, string>> = {
  cancun: '3/6/3338477',
  prague: '6/9/5007716',
  osaka: '6/9/5007716',
}

/** Returns the figures of each fork that differ from Ethereum's, in the order of the names. */
const blobRules = ({ source }: Pick<ChainConfig, 'source'>): ReadonlyMap<string, string> =>
  new Map(
    [...namedBlobParameters(source)]
      .map(
        ([name, { target, max, baseFeeUpdateFraction }]) =>
          [name, `${target}/${max}/${baseFeeUpdateFraction}`] as const,
      )
      .filter(([name, figures]) => figures !== impliedBlobs[name])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const limitRules = ({ limits }: Pick<ChainConfig, 'limits'>): readonly string[] => {
  const { codeSize, transactionGas } = limits
  const isEthereum = describeLimits(limits) === undefined
  return isEthereum ? [] : [`limits ${codeSize}/${transactionGas ?? 'none'}`]
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** Returns the keccak256 of these rules, which is the same for two files that mean the same. */
export const hashRules = (config: ChainConfig): Uint8Array => {
  const { chainId, activations, terminalTotalDifficulty, daoFork, depositContract } = config
  const lines = [
    `chain ${chainId}`,
    ...activations.flatMap(({ name, fork, by, at }) =>
      // The merge is found by difficulty, and glaciers only delay a difficulty that such a chain does not have.
      by === 'block' && fork !== undefined && fork !== 'paris' ? [`block ${name} ${at}`] : [],
    ),
    `difficulty ${terminalTotalDifficulty ?? 0n}`,
    ...(daoFork === undefined ? [] : [`dao ${daoFork.block} ${daoFork.isSupported}`]),
    // geth's files have the zero address where there are no deposits.
    ...(depositContract === undefined || isZero(depositContract)
      ? []
      : [`deposits ${toHex(depositContract)}`]),
    ...[...blobRules(config)].map(([name, figures]) => `blobs ${name} ${figures}`),
    // Not where they are Ethereum's, so that older chains commit to what they did.
    ...limitRules(config),
  ]
  return keccak256(encodeUtf8(lines.join('\n')))
}

/** Returns the first fork whose blob figures two configurations have differently, and what each of them says. */
export const findBlobDifference = (
  one: Pick<ChainConfig, 'source'>,
  other: Pick<ChainConfig, 'source'>,
): { readonly name: string; readonly figures: readonly [one: string, other: string] } | undefined => {
  const [first, second] = [blobRules(one), blobRules(other)]
  for (const name of new Set([...first.keys(), ...second.keys()])) {
    const [a, b] = [first, second].map((rules) => rules.get(name) ?? impliedBlobs[name] ?? 'none') as [
      string,
      string,
    ]
    if (a !== b) return { name, figures: [a, b] }
  }
  return undefined
}
