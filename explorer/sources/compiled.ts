import { nodeFacts } from '../live/node.ts'
import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'
import type { SourceFile } from './sourceMap.ts'
import { compiledVersion } from './version.ts'

/** A contract as it was compiled, with its source. */
export interface Compiled {
  readonly name: string
  readonly sourceMap: string
  readonly creationCode: Hex
  readonly creationMap: string
  readonly sources: readonly SourceFile[]
}

/** A part of a code that a constructor or the linker fills in. */
interface Filled {
  readonly start: number
  readonly length: number
}

interface Dropped extends Compiled {
  readonly code: string
  readonly filled: readonly Filled[]
  readonly creationFilled: readonly Filled[]
}

interface CodeJson {
  readonly object?: string
  readonly sourceMap?: string
  readonly immutableReferences?: Readonly<Record<string, readonly Filled[]>>
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, readonly Filled[]>>>>
}

interface BuildInfo {
  readonly solcVersion?: string
  readonly solcLongVersion?: string
  readonly input: { readonly sources: Readonly<Record<string, { readonly content?: string }>> }
  readonly output: {
    readonly sources?: Readonly<Record<string, { readonly id?: number }>>
    readonly contracts: Readonly<
      Record<
        string,
        Readonly<
          Record<
            string,
            {
              readonly abi?: unknown
              readonly evm?: { readonly bytecode?: CodeJson; readonly deployedBytecode?: CodeJson }
            } | null
          >
        >
      >
    >
  }
}

/** What was dropped into this page, for nodes that keep none. It lasts as long as the page. */
let dropped: readonly Dropped[] = []

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const isBuildInfo = (json: unknown): json is BuildInfo => {
  const { input, output } = (json ?? {}) as Partial<BuildInfo>
  return isObject(input?.sources) && isObject(output?.contracts)
}

/** The largest code that a chain could have; a place beyond it is ignored. */
const maxCodeBytes = 1e6

const isFilled = (one: Filled | null): one is Filled =>
  Number.isSafeInteger(one?.start) &&
  Number.isSafeInteger(one?.length) &&
  Number(one?.start) >= 0 &&
  Number(one?.length) >= 0 &&
  Number(one?.start) + Number(one?.length) <= maxCodeBytes

const filledOf = ({ immutableReferences, linkReferences }: CodeJson): readonly Filled[] =>
  [
    ...Object.values(immutableReferences ?? {}),
    ...Object.values(linkReferences ?? {}).flatMap((libraries) => Object.values(libraries ?? {})),
  ]
    .flat()
    .filter(isFilled)

/** The digits of a code. Where the address of a library belongs stands its name, which is one of the parts that are filled in. */
const digitsOf = ({ object }: CodeJson): string => textOf(object).replace(/^0x/, '')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const readContracts = ({ input, output }: BuildInfo): readonly Dropped[] => {
  const sources = Object.entries(output.sources ?? {}).flatMap(([path, one]) => {
    const content = input.sources[path]?.content
    return typeof one?.id === 'number' && typeof content === 'string' ? [{ id: one.id, path, content }] : []
  })
  return Object.values(output.contracts).flatMap((named) =>
    Object.entries(named ?? {}).map(([name, contract]) => {
      const bytecode = contract?.evm?.bytecode ?? {}
      const deployed = contract?.evm?.deployedBytecode ?? {}
      return {
        name,
        code: digitsOf(deployed),
        filled: filledOf(deployed),
        sourceMap: textOf(deployed.sourceMap),
        creationCode: `0x${digitsOf(bytecode)}` as const,
        creationFilled: filledOf(bytecode),
        creationMap: textOf(bytecode.sourceMap),
        sources,
      }
    }),
  )
}

/** What the node reads of a file of the compiler. The rest, mostly syntax trees, stays here. */
const onlyNeeded = ({ input, output }: BuildInfo): readonly [object, object] => {
  const contents = Object.entries(input.sources).map(([path, one]) => [path, { content: one?.content }])
  const ids = Object.entries(output.sources ?? {}).map(([path, one]) => [path, { id: one?.id }])
  const contracts = Object.entries(output.contracts).map(([path, named]) => [
    path,
    Object.fromEntries(
      Object.entries(named ?? {}).map(([name, contract]) => [
        name,
        {
          abi: contract?.abi,
          evm: {
            bytecode: codeOnly(contract?.evm?.bytecode),
            deployedBytecode: codeOnly(contract?.evm?.deployedBytecode),
          },
        },
      ]),
    ),
  ])
  return [
    { sources: Object.fromEntries(contents) },
    { sources: Object.fromEntries(ids), contracts: Object.fromEntries(contracts) },
  ]
}

const codeOnly = ({ object, sourceMap, immutableReferences, linkReferences }: CodeJson = {}): CodeJson => ({
  ...(object !== undefined && { object }),
  ...(sourceMap !== undefined && { sourceMap }),
  ...(immutableReferences !== undefined && { immutableReferences }),
  ...(linkReferences !== undefined && { linkReferences }),
})

const mask = (digits: string, filled: readonly Filled[]): string => {
  let text = digits
  for (const { start, length } of filled)
    if (2 * (start + length) <= text.length)
      text = `${text.slice(0, 2 * start)}${'0'.repeat(2 * length)}${text.slice(2 * (start + length))}`
  return text
}

const isSame = (one: string, other: string, filled: readonly Filled[]): boolean =>
  one !== '' && one.length === other.length && mask(one, filled) === mask(other, filled)

const findDropped = (code: Hex, isCreation: boolean): Compiled | undefined => {
  const digits = code.slice(2)
  return dropped.findLast(({ code: deployed, filled, creationCode, creationFilled }) =>
    isCreation
      ? isSame(creationCode.slice(2), digits.slice(0, creationCode.length - 2), creationFilled)
      : isSame(deployed, digits, filled),
  )
}

/** Takes a file of the compiler with its input and its output, such as a build-info; says what is wrong with another. */
export const giveBuildInfo = async (text: string): Promise<'taken' | 'noJson' | 'noBuildInfo'> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'noJson'
  }
  if (!isBuildInfo(json)) return 'noBuildInfo'
  // A chain for development keeps it for everybody who looks.
  if (nodeFacts.get()?.isDev)
    await call(
      'hardhat_addCompilationResult',
      textOf(json.solcLongVersion ?? json.solcVersion),
      ...onlyNeeded(json),
    )
  else dropped = [...dropped, ...readContracts(json)].slice(-2000)
  compiledVersion.set(compiledVersion.get() + 1)
  return 'taken'
}

/** Finds the contract that has this code, among what was dropped here and what the node knows. */
export const findCompiled = async (code: Hex, isCreation: boolean): Promise<Compiled | undefined> => {
  if (code === '0x') return undefined
  const own = findDropped(code, isCreation)
  if (own !== undefined || !nodeFacts.get()?.isDev) return own
  return (
    (await call<Compiled | null>('perihelion_compiledContract', code, isCreation).catch(() => null)) ??
    undefined
  )
}
