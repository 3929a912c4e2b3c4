const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Returns a number of bytes in powers of 1000. */
export const formatBytes = (bytes: number): string => {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Returns a time in its two largest units, such as `3 min 20 s`. */
export const formatSpan = (seconds: number): string => {
  if (seconds >= day) return `${Math.floor(seconds / day)} d ${Math.floor((seconds % day) / hour)} h`
  if (seconds >= hour) return `${Math.floor(seconds / hour)} h ${Math.floor((seconds % hour) / minute)} min`
  return seconds >= minute ? `${Math.floor(seconds / minute)} min ${seconds % minute} s` : `${seconds} s`
}
