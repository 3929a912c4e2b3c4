import { defineWorstCases } from './case.ts'
import { programCase } from './machines.ts'
import { createPrograms, type Program } from './programs.ts'
import { transactionsCase } from './transactions.ts'

/** Loops of instructions, and transactions that stand for the usual load. */
export const part = defineWorstCases(({ isQuick }) => {
  const programs = createPrograms(1)
  const token = programs.find(({ name }) => name.startsWith('ERC-20')) as Program // the table has it
  return [
    ...programs.map(({ name }, index) =>
      programCase(name, (scale) => createPrograms(isQuick ? scale * 0.1 : scale)[index] as Program),
    ),
    transactionsCase(token),
  ]
})
