import { useEffect } from 'preact/hooks'
import { formatDuration, formatTime } from '../format/time.ts'
import { createStore, useStore } from '../state/store.ts'
import { texts } from '../texts/texts.ts'

/** The clock of all ages on the page; it stops while nobody looks. */
const now = createStore(Date.now())
let users = 0
let timer: ReturnType<typeof setInterval> | undefined

const useNow = (): number => {
  useEffect(() => {
    if (users++ === 0) timer = setInterval(() => !document.hidden && now.set(Date.now()), 1000)
    return () => {
      if (--users === 0) clearInterval(timer)
    }
  }, [])
  return useStore(now)
}

/** Clocks of machines differ by this many seconds. */
const usualSkew = 5

/** How long ago a second was, or how far ahead it is: the clock of a chain for development may be. */
const ageText = (time: number, nowMs: number): string => {
  const age = nowMs / 1000 - time
  if (Number.isNaN(age)) return ''
  if (age < -usualSkew) return texts.ahead(formatDuration(-age))
  return age < 1 ? texts.now : texts.ago(formatDuration(age))
}

export const Age = ({ time }: { readonly time: number }) => {
  const text = ageText(time, useNow())
  return (
    <time class="num nowrap" dateTime={toIso(time)} title={formatTime(time)}>
      {text}
    </time>
  )
}

const toIso = (time: number): string => {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

export const Moment = ({ time }: { readonly time: number }) => (
  <span>
    <time class="num" dateTime={toIso(time)}>
      {formatTime(time)}
    </time>{' '}
    <span class="muted">
      (<Age time={time} />)
    </span>
  </span>
)
