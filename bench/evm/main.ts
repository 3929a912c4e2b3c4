// npm run bench -- evm: the machine beside @ethereumjs/evm and geth's `evm`, one after the other in one run.
import { createEthereumJs, createGeth, createOurs, findGeth, type Peer } from './peers.ts'
import { createPrograms, type Program } from './programs.ts'
import { measureTransactions } from './transactions.ts'

interface Figure {
  readonly mgas: number
  readonly ns: number
}

const rounds = (peer: Peer): number => (peer.name === 'perihelion' ? 15 : peer.name === 'geth' ? 2 : 3)

/** The best of some rounds: what else the machine does can only make a round slower. */
const measure = async (peer: Peer, program: Program): Promise<Figure> => {
  let best = Number.POSITIVE_INFINITY
  let gas = 0n
  for (let round = 0; round < rounds(peer); round++) {
    const result = await peer.run(program)
    gas = result.gas
    best = Math.min(best, result.ms)
  }
  return { mgas: Number(gas) / best / 1000, ns: (best * 1e6) / program.units }
}

const show = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))

const geth = findGeth()
const peers = [
  await createOurs(),
  await createEthereumJs(),
  ...(geth === undefined ? [] : [createGeth(geth)]),
]
if (geth === undefined) console.log('geth is left out: no `evm` on PATH, and GETH_EVM names none')

const wanted = process.argv.slice(2)
const table: Record<string, Record<string, string>> = {}
for (const peer of peers) {
  for (const program of createPrograms(peer.scale)) {
    if (wanted.length > 0 && !wanted.some((text) => program.name.includes(text))) continue
    const { mgas, ns } = await measure(peer, program)
    const row = table[program.name] ?? {}
    row[peer.name] = `${show(mgas)} Mgas/s, ${show(ns)} ns/${program.unit}`
    table[program.name] = row
  }
}
console.table(table)

const token = createPrograms(1).find(({ name }) => name.startsWith('ERC-20'))
if (token !== undefined && wanted.length === 0) {
  console.log(`ERC-20 transfers as whole transactions: ${show(await measureTransactions(token))} µs each`)
}
