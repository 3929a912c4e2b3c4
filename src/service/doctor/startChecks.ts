import { ExitError } from '../../base/exit.ts'
import type { PlannedStart, StartCheck } from '../start/startChecks.ts'
import { type Finding, ok, problem } from './finding.ts'

/**
 * Runs the checks of a start, and tells what would reject it in the words of the start: each cause once, also where several
 * checks meet it, and nothing of what is in a home that cannot be one.
 */
export const runStartChecks = async (
  checks: readonly StartCheck[],
  planned: PlannedStart,
): Promise<readonly Finding[]> => {
  const found: Finding[] = []
  for (const { name, assert } of checks)
    try {
      await assert(planned)
    } catch (error) {
      if (!(error instanceof ExitError)) throw error
      if (found.some(({ text }) => text === error.message)) continue
      found.push(
        problem(name, error.message, `fix this first: a start would end with exit code ${error.exitCode}`),
      )
      if (name === 'home') break
    }
  return found.length === 0 ? [ok('start', `${checks.length} checks of a start pass`)] : found
}
