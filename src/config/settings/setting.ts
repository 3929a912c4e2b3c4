import { showUrl } from '../../base/logging/redaction.ts'
import { hidden, type Kind } from '../kinds/kind.ts'

export interface Setting<T> {
  readonly kind: Kind<T>
  readonly default: T
  /** A description in one or two sentences: the effect, the unit, what happens at the limit. */
  readonly about: string
  /** Whether the value cannot be set in app.toml. */
  readonly notInFile?: true
  /** Whether a running program takes another value on SIGHUP. */
  readonly isReloadable?: true
  /** Whether the value is never printed, unless it is the public default. */
  readonly isSecret?: true
  /** Whether the value is a URL or a list of them, which may hold keys: only origins are printed. */
  readonly isUrl?: true
}

/** Returns a value that could not be read as messages show it; `text` is as the user wrote it. */
export const showMismatch = (
  { kind, isSecret, isUrl }: Setting<unknown>,
  text: string,
  value: unknown,
): string =>
  kind.locate?.(value) ?? (isSecret || (isUrl && /[@?#]|:\/\/[^/]*\/[^"]/.test(text)) ? hidden : text)

/** Returns a value as it is printed, in the notation of app.toml. */
export const showValue = <T>({ kind, isSecret, isUrl }: Setting<T>, value: T): string => {
  if (isSecret) return hidden
  if (!isUrl) return kind.toToml(value)
  // The cast is sound because a setting of URLs is a text, or a list of texts.
  const shown = Array.isArray(value) ? value.map(showAddress) : showAddress(String(value))
  return kind.toToml(shown as T)
}

/** An address of CometBFT may have no scheme. */
const showAddress = (address: string): string =>
  /^https?:\/\//.test(address) ? showUrl(address) : showUrl(`http://${address}`).slice('http://'.length)

/** An entry whose type follows from the kind alone, so that a default of another type does not compile. */
type Entry<T> = Omit<Setting<T>, 'default'> & { readonly default: NoInfer<T> }

/** Creates an entry of the table of settings. */
export const setting = <T>(entry: Entry<T>): Setting<T> => Object.freeze(entry)
