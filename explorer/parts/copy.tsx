import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'

/** Puts a text onto the clipboard, also where the page was not loaded over HTTPS and has no clipboard of its own. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'offscreen'
    document.body.append(area)
    area.select()
    const isDone = document.execCommand('copy')
    area.remove()
    return isDone
  }
}

const shownMs = 1200

export const CopyButton = ({ text, label }: { readonly text: string; readonly label?: string }) => {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), shownMs)
    return () => clearTimeout(timer)
  }, [isDone])
  const name = isDone ? texts.copied : (label ?? texts.copy)
  return (
    <button
      type="button"
      class={label === undefined ? 'copy' : 'button small'}
      aria-label={label === undefined ? name : undefined}
      title={name}
      onClick={() => void copyText(text).then(setDone)}
    >
      {label !== undefined ? (
        name
      ) : (
        <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
          {isDone ? (
            <path d="M3 8.5l3.2 3.2L13 5" fill="none" stroke="currentColor" stroke-width="1.8" />
          ) : (
            <path
              d="M5.5 5.5V3.2c0-.4.3-.7.7-.7h6.6c.4 0 .7.3.7.7v6.6c0 .4-.3.7-.7.7h-2.3M3.2 5.5h6.6c.4 0 .7.3.7.7v6.6c0 .4-.3.7-.7.7H3.2a.7.7 0 0 1-.7-.7V6.2c0-.4.3-.7.7-.7z"
              fill="none"
              stroke="currentColor"
              stroke-width="1.3"
            />
          )}
        </svg>
      )}
    </button>
  )
}
