import { useEffect, useState } from 'preact/hooks'
import { utf8 } from '../../format/hex.ts'
import { FileDrop } from '../../parts/fileDrop.tsx'
import { Panel } from '../../parts/layout.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { messageOf } from '../../rpc/failure.ts'
import { giveBuildInfo } from '../../sources/compiled.ts'
import type { SourcePlace } from '../../sources/sourceMap.ts'
import { texts } from '../../texts/texts.ts'

/** Lines that are shown before and after the current one: files can have thousands. */
const before = 40
const after = 60
/** Characters of a line that are shown. */
const maxLine = 400

const show = (text: string): string => safeText(text, maxLine)

/** A line with the part marked that the step is of; the offsets are bytes. */
const MarkedLine = ({
  text,
  from,
  to,
}: {
  readonly text: string
  readonly from: number
  readonly to: number
}) => {
  const bytes = utf8(text)
  const part = (start: number, end: number): string =>
    show(new TextDecoder().decode(bytes.subarray(start, end)))
  return (
    <>
      {part(0, from)}
      <mark>{part(from, to)}</mark>
      {part(to, bytes.length)}
    </>
  )
}

const Lines = ({ place: { file, line, lastLine, from, to } }: { readonly place: SourcePlace }) => {
  useEffect(() => {
    const list = document.querySelector('.source')
    const current = list?.querySelector<HTMLElement>('[aria-current]')
    // Only the list is scrolled: the page stays where the reader has it.
    if (list && current) list.scrollTop = current.offsetTop - list.clientHeight / 3
  }, [file, line])
  const lines = file.content.split('\n')
  const first = Math.max(1, line - before)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <ol class="source mono" tabIndex={0} aria-label={texts.debug.source}>
      {lines.slice(first - 1, line + after).map((text, index) => {
        const number = first + index
        const isCurrent = number === line
        return (
          <li
            key={number}
            class={number >= line && number <= lastLine ? 'within' : ''}
            aria-current={isCurrent ? 'location' : undefined}
          >
            <span class="num muted">{number}</span>
            <code>{isCurrent ? <MarkedLine text={text} from={from} to={to} /> : show(text)}</code>
          </li>
        )
      })}
    </ol>
  )
}

/** The source around a step, with its line marked. */
export const SourcePanel = ({
  name,
  place,
}: {
  readonly name: string
  readonly place: SourcePlace | undefined
}) => (
  <Panel
    title={<SafeText text={name} max={60} />}
    aside={
      place !== undefined && (
        <span class="muted mono break">
          <SafeText text={place.file.path} max={120} />:{place.line}
        </span>
      )
    }
  >
    {place === undefined ? <p class="muted">{texts.debug.noPlace}</p> : <Lines place={place} />}
  </Panel>
)

/** Files of large projects have a hundred megabytes, most of which the page does not keep. */
const maxBuildBytes = 200e6

/** Takes the compiler's files where there is no source yet. */
export const SourceDrop = ({ isDev }: { readonly isDev: boolean }) => {
  const [problem, setProblem] = useState('')
  const give = async (_name: string, text: string): Promise<void> => {
    try {
      const outcome = await giveBuildInfo(text)
      setProblem(outcome === 'taken' ? '' : texts.debug.noBuildInfo)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <details class="source-drop">
      <summary>{texts.debug.giveSource}</summary>
      <FileDrop
        about={isDev ? texts.debug.dropDev : texts.debug.drop}
        label={texts.debug.file}
        problem={problem}
        maxBytes={maxBuildBytes}
        onFile={(name, text) => void give(name, text)}
      />
    </details>
  )
}
