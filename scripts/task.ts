// `npm run bench -- <name> [arguments]` and `npm run long -- <name> [arguments]`: runs a task of scripts/tasks.ts, or
// all of them. Without a name it lists them.
import { editDistance } from '../src/config/settings/names.ts'
import { type Outcome, runTask } from './runTask.ts'
import { type Task, type TaskTable, taskTables, wholeBench } from './tasks.ts'

const [kind = '', name, ...args] = process.argv.slice(2)
if (!(kind in taskTables)) throw new Error(`there is no table of tasks called "${kind}"`)
const table: TaskTable = taskTables[kind as keyof typeof taskTables]
const names = Object.keys(table)

const list = (): void => {
  const width = Math.max(...names.map((known) => known.length))
  console.log(`npm run ${kind} -- <name> [arguments], or \`all\` for one after the other:`)
  for (const [known, { about, env, notInAll }] of Object.entries(table)) {
    const defaults = Object.entries(env ?? {}).map(([variable, value]) => ` ${variable}=${value}`)
    const alone = notInAll === undefined ? '' : ` (not in all: ${notInAll})`
    console.log(`  ${known.padEnd(width)}  ${about}${defaults.join('')}${alone}`)
  }
}

const nearest = (unknown: string): string =>
  [...names].sort((a, b) => editDistance(unknown, a) - editDistance(unknown, b))[0] as string

const runAll = async (): Promise<boolean> => {
  const outcomes: [string, Outcome][] = []
  for (const [known, task] of Object.entries(table).filter(([, { notInAll }]) => notInAll === undefined)) {
    console.log(`\n== ${known}: ${task.about}`)
    outcomes.push([known, await runTask(task)])
  }
  console.log('')
  for (const [known, { isGood, seconds }] of outcomes)
    console.log(`${isGood ? 'passed' : 'FAILED'}  ${seconds.toFixed(0).padStart(6)} s  ${known}`)
  const failed = outcomes.filter(([, { isGood }]) => !isGood).length
  console.log(`${outcomes.length - failed} passed, ${failed} failed`)
  return failed === 0
}

if (name === undefined) list()
else if (kind === 'bench' && (name === 'all' || name.startsWith('-')))
  process.exitCode = (await runTask(wholeBench(name), args)).isGood ? 0 : 1
else if (name === 'all') process.exitCode = (await runAll()) ? 0 : 1
else {
  const task: Task | undefined = Object.hasOwn(table, name) ? table[name] : undefined
  if (task === undefined) {
    console.error(`there is no "${name}": did you mean "${nearest(name)}"? npm run ${kind} lists them all`)
    process.exitCode = 2
  } else process.exitCode = (await runTask(task, args)).isGood ? 0 : 1
}
