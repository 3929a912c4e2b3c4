import { useEffect } from 'preact/hooks'
import { formatAge, formatTime } from '../format/time.ts'
import { createStore, useStore } from '../store.ts'

/** The clock of all ages on the page; it stands still while nobody looks. */
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

export const Age = ({ time }: { readonly time: number }) => {
  const text = formatAge(time, useNow())
  return (
    <time class="num nowrap" dateTime={toIso(time)} title={formatTime(time)}>
      {text === 'now' ? text : `${text} ago`}
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
