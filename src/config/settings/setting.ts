import type { Kind } from '../kinds/kind.ts'

export interface Setting<T> {
  readonly kind: Kind<T>
  readonly default: T
  /** One or two sentences: what it does, in which unit, what happens at the limit. */
  readonly about: string
  /** True where the value cannot stand in app.toml. */
  readonly notInFile?: true
  /** True where the value is never printed, unless it is the default that everybody knows. */
  readonly isSecret?: true
}

/** The kind alone fixes the type, so a default of another type does not compile. */
type Entry<T> = Omit<Setting<T>, 'default'> & { readonly default: NoInfer<T> }

/** An entry of the table of settings. */
export const setting = <T>(entry: Entry<T>): Setting<T> => Object.freeze(entry)
