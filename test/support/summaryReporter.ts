import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** Why a test was skipped: as it says itself, or as the name of its group says. */
const reasonOf = (test: TestCase): string => {
  const result = test.result()
  const note = result.state === 'skipped' ? result.note : undefined
  return note ?? /\(skipped: ([^)…]+)/.exec(test.fullName)?.[1] ?? 'no reason given'
}

/** Names without the part that is the reason. */
const nameOf = (test: TestCase): string => test.fullName.replace(/ \(skipped: [^)]+\)/, '')

/**
 * Reports which tests were skipped and why, which were left out by their tags and how to get them, which failed, and ends
 * with one line for other programs.
 */
export default class SummaryReporter implements Reporter {
  #tagsFilter: readonly string[] = []

  onInit(vitest: Vitest): void {
    this.#tagsFilter = vitest.config.tagsFilter ?? []
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const all = modules.flatMap((module) => [...module.children.allTests()])
    const tests = all.filter((test) => this.#isChosen(test))
    const inState = (state: string): TestCase[] => tests.filter((test) => test.result().state === state)
    // A file that cannot be loaded and a group that cannot be set up have no tests that could fail, and an error outside of
    // tests belongs to no test.
    const unloaded = modules.filter((module) => module.errors().length > 0)
    const groups = modules
      .flatMap((module) => [...module.children.allSuites()])
      .filter((group) => group.errors().length > 0)
    const broken = unloaded.length + groups.length + unhandledErrors.length
    const skipped = inState('skipped')
    for (const reason of new Set(skipped.map(reasonOf))) {
      console.log(`skipped: ${reason}`)
      for (const test of skipped.filter((one) => reasonOf(one) === reason)) console.log(`  ${nameOf(test)}`)
    }
    if (this.#tagsFilter.includes('!slow') && tests.length < all.length)
      console.log(`left out: ${all.length - tests.length} slow tests, which \`npm run test:all\` has`)
    const failed = [
      ...inState('failed').map((test) => [test.module, test.fullName] as const),
      ...groups.map((group) => [group.module, `${group.fullName}: before or after its tests`] as const),
      ...unloaded.map((module) => [module, 'it cannot be loaded'] as const),
    ]
    for (const [module, what] of failed) console.log(`failed: ${module.relativeModuleId} > ${what}`)
    const count = (state: string): number => inState(state).length
    console.log(`${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`)
  }

  /** Whether the tags of a test are those of the run; of expressions only `tag` and `!tag` are in use. */
  #isChosen({ tags }: TestCase): boolean {
    return this.#tagsFilter.every((filter) =>
      filter.startsWith('!') ? !tags.includes(filter.slice(1)) : tags.includes(filter),
    )
  }
}
