import { harmful } from '../../src/base/encoding/printable.ts'
import { texts } from '../texts/texts.ts'

/** Shorter ones are names, which have one line. */
const shortestOfLines = 100

/** What anybody could have put on the chain, made harmless: such characters are written out, the rest cut to a length. */
export const safeText = (text: string, max = 2000): string => {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text
  const hasLines = max >= shortestOfLines
  return cut.replace(harmful, (char) =>
    hasLines && (char === '\n' || char === '\t')
      ? char
      : `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** A text from the chain, in a direction of its own. */
export const SafeText = ({ text, max = 2000 }: { readonly text: string; readonly max?: number }) => (
  <bdi class="foreign">
    {safeText(text, max)}
    {text.length > max && <span class="muted"> ({texts.hostileTruncated})</span>}
  </bdi>
)
