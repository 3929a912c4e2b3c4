import type { Located } from './locate.ts'

/** When a node makes blocks: for each transaction that comes, or after a time. */
export interface Mode {
  /** Undefined: on demand. */
  readonly blockTimeMs?: number | undefined
  /** Whether every state is kept, as this program does anyway. */
  readonly isArchive?: boolean | undefined
}

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string
}

/** How a node is run with an empty folder, and how it differs from others where that matters. */
export interface NodeProgram {
  readonly name: string
  /** Makes the folder of its data; a new one in the system's folder for temporary files if undefined. */
  readonly folderIn?: (located: Located) => string
  /** Prepares its folder. */
  readonly prepare?: (located: Located, folder: string, mode: Mode) => void
  command(located: Located, folder: string, port: number, mode: Mode): Command
  /** Where WebSocket is served; on the port of HTTP if undefined. */
  readonly hasOwnWsPort?: boolean
  /** A call that is made when it answers. */
  readonly afterStart?: { readonly method: string; readonly params: readonly unknown[] }
  /** How transactions are brought into one block: by a gap in the nonces that is filled last, or by holding the miner. */
  readonly oneBlock: 'gap' | 'automine' | 'miner'
}

export const chainId = 1337
export const gasLimit = 60_000_000
export const mnemonic = 'test test test test test test test test test test test junk'
