import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy.tsx'
import { safeText } from './safeText.tsx'

/** The most characters that are shown; all of them can be copied. */
const maxShown = 100_000

/** A response of the node as it came. */
export const Raw = ({ value }: { readonly value: unknown }) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
  return (
    <div class="raw">
      <CopyButton text={text} label={texts.copyAll} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>{safeText(text, maxShown)}</pre>
    </div>
  )
}
