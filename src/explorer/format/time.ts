/** How long ago a second was: 12 s, 5 min, 3 h, 8 d. */
export const formatAge = (seconds: number, nowMs: number): string => {
  const age = Math.max(0, Math.floor(nowMs / 1000 - seconds))
  if (age < 1) return 'now'
  if (age < 60) return `${age} s`
  if (age < 3600) return `${Math.floor(age / 60)} min`
  if (age < 86_400) return `${Math.floor(age / 3600)} h`
  return `${Math.floor(age / 86_400)} d`
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
