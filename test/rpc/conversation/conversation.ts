import { readFileSync } from 'node:fs'

/**
 * A conversation file is a list of cases, each a few marked lines:
 *
 *   // what the case shows           starts a case
 *   @: http ws                       the transports that it is for, all three where it does not say
 *   >: Name: value                   a request header; `>: POST /path` sets method and path
 *   >> body                          the request body
 *   <: 415                           the status, for cases of HTTP
 *   <: Name: value                   a response header; `<: Name` alone: the header is not there
 *   << body                          the whole answer, byte for byte; `<<` alone: an empty one
 *   <~ text                          a part of the answer
 *
 * `{{…}}` in what is sent is filled in by the suite that runs the file.
 */
export interface Exchange {
  readonly title: string
  readonly line: number
  readonly transports: readonly string[]
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  readonly status: number | undefined
  readonly answerHeaders: readonly (readonly [name: string, value: string | undefined])[]
  readonly answer: string | undefined
  readonly answerParts: readonly string[]
}

type Draft = { -readonly [K in keyof Exchange]: Exchange[K] }

export const readConversation = (file: URL): Exchange[] => {
  const cases: Exchange[] = []
  let current: Draft | undefined
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    if (line.startsWith('//')) {
      current = newCase(line.slice(2).trim(), index + 1)
      cases.push(current)
    } else if (current === undefined || !take(current, line.slice(0, 2), line.slice(2).trim())) {
      throw new Error(`${file.pathname}:${index + 1}: cannot read ${line}`)
    }
  }
  return cases
}

const newCase = (title: string, line: number): Draft => ({
  title,
  line,
  transports: ['http', 'ws', 'ipc'],
  method: 'POST',
  path: '/',
  headers: [],
  body: undefined,
  status: undefined,
  answerHeaders: [],
  answer: undefined,
  answerParts: [],
})

const take = (draft: Draft, mark: string, rest: string): boolean => {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(rest) ?? []
  const [, name, value] = /^([A-Za-z-]+):\s*(.*)$/.exec(rest) ?? []
  switch (mark) {
    case '@:':
      draft.transports = rest.split(' ')
      return true
    case '>:':
      if (method !== undefined && path !== undefined) Object.assign(draft, { method, path })
      else if (name !== undefined && value !== undefined) draft.headers = [...draft.headers, [name, value]]
      else return false
      return true
    case '>>':
      draft.body = rest
      return true
    case '<:':
      if (/^\d{3}$/.test(rest)) draft.status = Number(rest)
      else
        draft.answerHeaders = [...draft.answerHeaders, name === undefined ? [rest, undefined] : [name, value]]
      return true
    case '<<':
      draft.answer = rest
      return true
    case '<~':
      draft.answerParts = [...draft.answerParts, rest]
      return true
    default:
      return false
  }
}
