import type { Reporter, TestModule } from 'vitest/node'

/** Reports which tests were skipped and why, which failed, and ends with one line for other programs. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length
    // A file that cannot be loaded has no tests that could fail, and an error outside of tests belongs to no test.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length
    for (const test of tests) {
      const result = test.result()
      if (result.state === 'skipped')
        console.log(`skipped: ${test.fullName}: ${result.note ?? 'no reason given'}`)
    }
    const failed = [
      ...tests
        .filter((test) => test.result().state === 'failed')
        .map((test) => [test.module, test.fullName] as const),
      ...modules
        .filter((module) => module.errors().length > 0)
        .map((module) => [module, 'it cannot be loaded'] as const),
    ]
    for (const [module, what] of failed) console.log(`failed: ${module.relativeModuleId} > ${what}`)
    console.log(`${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`)
  }
}
