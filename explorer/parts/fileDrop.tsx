import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { formatBytes } from '../format/numbers.ts'
import { texts } from '../texts/texts.ts'
import { SafeText } from './safeText.tsx'

interface FileDropProps {
  readonly about: string
  readonly label: string
  /** What is wrong with what was given; empty if nothing is. */
  readonly problem: string
  /** The most bytes that are read: a page that parses more freezes. */
  readonly maxBytes: number
  readonly onFile: (name: string, text: string) => void
  /** Beside the choice of a file. */
  readonly children?: ComponentChildren
}

/** Takes a file that is dropped or chosen. */
export const FileDrop = ({ about, label, problem, maxBytes, onFile, children }: FileDropProps) => {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [isTooLarge, setTooLarge] = useState(false)
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    setTooLarge(file.size > maxBytes)
    if (file.size <= maxBytes) onFile(file.name, await file.text())
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way; the button is the other
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void read(event.dataTransfer?.files[0])
      }}
    >
      <p>{about}</p>
      <p class="row drop-choices">
        <label for={id}>{label}</label>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
      </p>
      {children}
      <p class="field-note bad" role="status">
        <SafeText text={isTooLarge ? texts.errors.fileTooLarge(formatBytes(maxBytes)) : problem} max={300} />
      </p>
    </div>
  )
}
