import { texts } from '../texts/texts.ts'

/** Seconds as 12 s, 5 min, 3 h, 8 d. */
export const formatDuration = (seconds: number): string => {
  const age = Math.floor(seconds)
  if (age < 60) return texts.units.seconds(age)
  if (age < 3600) return texts.units.minutes(Math.floor(age / 60))
  if (age < 86_400) return texts.units.hours(Math.floor(age / 3600))
  return texts.units.days(Math.floor(age / 86_400))
}

/** A second in the reader's time, as 2026-11-17 03:29:08. */
export const formatTime = (seconds: number): string => {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return String(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  )
}
