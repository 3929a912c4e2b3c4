import { texts } from '../texts.ts'

/** Characters that turn the order of text around or cannot be seen, except for tabs and line breaks. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** What anybody could have put on the chain, made harmless: invisible characters are named, the rest cut to a length. */
export const safeText = (text: string, max = 2000): string => {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text
  return cut.replace(invisible, (char) =>
    char === '\n' || char === '\t' ? char : `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** A text from the chain, in a direction of its own. */
export const SafeText = ({ text, max = 2000 }: { readonly text: string; readonly max?: number }) => (
  <bdi class="foreign">
    {safeText(text, max)}
    {text.length > max && <span class="muted"> ({texts.hostileTruncated})</span>}
  </bdi>
)
