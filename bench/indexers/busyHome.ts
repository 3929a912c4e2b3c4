import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../../test/support/program.ts'
import { makeChainFiles } from '../support/chain/chainFiles.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'

/** A folder with the home of a node whose blocks hold `perBlock` transfers each. */
export interface BusyHome {
  readonly folder: string
  readonly home: string
  readonly blocks: number
  readonly perBlock: number
}

export const makeBusyHome = async (blocks: number, perBlock: number): Promise<BusyHome> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-indexers-'))
  const { genesis, chain } = await makeChainFiles({ blocks, perBlock, folder })
  const home = join(folder, 'home')
  const program = runProgram(['import', '--genesis', genesis, chain, '--home', home], {}, ownProgram())
  if ((await program.ended()) !== 0) throw new Error(program.stderr())
  return { folder, home, blocks, perBlock }
}
