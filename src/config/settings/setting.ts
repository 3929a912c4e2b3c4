import type { Kind } from '../kinds/kind.ts'

export interface Setting<T> {
  readonly kind: Kind<T>
  readonly default: T
  /** A description in one or two sentences: the effect, the unit, what happens at the limit. */
  readonly about: string
  /** Whether the value cannot be set in app.toml. */
  readonly notInFile?: true
  /** Whether the value is never printed, unless it is the public default. */
  readonly isSecret?: true
}

/** An entry whose type follows from the kind alone, so that a default of another type does not compile. */
type Entry<T> = Omit<Setting<T>, 'default'> & { readonly default: NoInfer<T> }

/** Creates an entry of the table of settings. */
export const setting = <T>(entry: Entry<T>): Setting<T> => Object.freeze(entry)
