import { z } from 'zod'
import { isGoDuration, parseGoDuration } from '../../base/encoding/goDuration.ts'

/** A duration in Go's notation (`1m30s`, `500ms`), in milliseconds. */
export const durationText = z
  .string({ error: 'expected a duration such as "10s"' })
  .regex(isGoDuration, { error: 'expected a duration such as "10s"' })
  .transform(parseGoDuration)
