/** Thrown if a configuration cannot be used, with all its problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The problems, one line each. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
