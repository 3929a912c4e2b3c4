// `npm run test:all`: `npm test`, then what a change has to pass besides before it lands (`landing` in
// scripts/tasks.ts). It goes on after a failure; the last lines are what failed and the count of all.
import { type Outcome, runProgram, runTask } from './runTask.ts'
import { type TaskTable, taskTables } from './tasks.ts'

const all: TaskTable = { ...taskTables.bench, ...taskTables.long }
const outcomes: Outcome[] = [await runProgram('npm', ['test'])]
for (const [name, task] of Object.entries(all).filter(([, { landing }]) => landing)) {
  console.log(`\n== ${name}: ${task.about}`)
  outcomes.push(await runTask(task))
}
const sum = (count: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + count(outcome), 0)
const failed = sum((outcome) => outcome.failed)
console.log('')
for (const failure of outcomes.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`)
console.log(`${sum((outcome) => outcome.passed)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
