import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Abi, Hex } from 'viem'

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
        >
      >
    >
  >
}

interface Solc {
  compile(
    input: string,
    callbacks: { import(path: string): { contents: string } | { error: string } },
  ): string
}

const contracts = fileURLToPath(new URL('contracts', import.meta.url))

/** Returns the contracts of the folder, and those of OpenZeppelin that they use, by name. `modules` has the package. */
export const compileContracts = (modules: string): ReadonlyMap<string, Artifact> => {
  const solc = createRequire(import.meta.url)('solc') as Solc
  const sources = Object.fromEntries(
    readdirSync(contracts).map((name) => [name, { content: readFileSync(join(contracts, name), 'utf8') }]),
  )
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const read = (path: string): { contents: string } | { error: string } => {
    try {
      return { contents: readFileSync(join(modules, path), 'utf8') }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }
  const { errors = [], contracts: files } = JSON.parse(
    solc.compile(JSON.stringify(input), { import: read }),
  ) as Output
  const wrong = errors.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return new Map(
    Object.values(files).flatMap((file) =>
      Object.entries(file).map(
        ([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as const }] as const,
      ),
    ),
  )
}
