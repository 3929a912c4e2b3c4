import { nodeFacts } from '../node.ts'
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
            { readonly evm?: { readonly bytecode?: CodeJson; readonly deployedBytecode?: CodeJson } }
          >
        >
      >
    >
  }
}

/** What was dropped into this page, for nodes that keep none. It lasts as long as the page. */
let dropped: readonly Dropped[] = []

const isBuildInfo = (json: unknown): json is BuildInfo => {
  const { input, output } = (json ?? {}) as Partial<BuildInfo>
  return typeof input?.sources === 'object' && typeof output?.contracts === 'object'
}

const filledOf = ({ immutableReferences = {}, linkReferences = {} }: CodeJson): readonly Filled[] =>
  [
    ...Object.values(immutableReferences),
    ...Object.values(linkReferences).flatMap((libraries) => Object.values(libraries)),
  ].flat()

/** The digits of a code; the name of a library that is not linked stands where its address will be. */
const digitsOf = ({ object = '' }: CodeJson): string =>
  object.replace(/^0x/, '').replace(/__.{38}/g, '0'.repeat(40))

const readContracts = ({ input, output }: BuildInfo): readonly Dropped[] => {
  const sources = Object.entries(output.sources ?? {}).flatMap(([path, { id }]) => {
    const content = input.sources[path]?.content
    return typeof id === 'number' && typeof content === 'string' ? [{ id, path, content }] : []
  })
  return Object.values(output.contracts).flatMap((named) =>
    Object.entries(named).map(([name, { evm = {} }]) => {
      const { bytecode = {}, deployedBytecode = {} } = evm
      return {
        name,
        code: digitsOf(deployedBytecode),
        filled: filledOf(deployedBytecode),
        sourceMap: deployedBytecode.sourceMap ?? '',
        creationCode: `0x${digitsOf(bytecode)}` as const,
        creationFilled: filledOf(bytecode),
        creationMap: bytecode.sourceMap ?? '',
        sources,
      }
    }),
  )
}

const mask = (digits: string, filled: readonly Filled[]): string => {
  let text = digits
  for (const { start, length } of filled)
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
export const giveBuildInfo = async (text: string): Promise<'taken' | 'no json' | 'no build-info'> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'no json'
  }
  if (!isBuildInfo(json)) return 'no build-info'
  // A chain for development keeps it for everybody who looks.
  if (nodeFacts.get()?.isDev)
    await call(
      'hardhat_addCompilationResult',
      json.solcLongVersion ?? json.solcVersion ?? '',
      json.input,
      json.output,
    )
  else dropped = [...dropped, ...readContracts(json)].slice(-2000)
  compiledVersion.set(compiledVersion.get() + 1)
  return 'taken'
}

/** Finds the contract that has this code, among what was dropped here and what the node was told of. */
export const findCompiled = async (code: Hex, isCreation: boolean): Promise<Compiled | undefined> => {
  if (code === '0x') return undefined
  const own = findDropped(code, isCreation)
  if (own !== undefined || !nodeFacts.get()?.isDev) return own
  return (
    (await call<Compiled | null>('perihelion_compiledContract', code, isCreation).catch(() => null)) ??
    undefined
  )
}
