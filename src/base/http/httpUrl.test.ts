import { expect, test } from 'vitest'
import { meansHttpUrl } from './httpUrl.ts'

test('what means a URL is never taken for a file, valid or not', () => {
  for (const text of ['http://a/b', 'HTTPS://u:p@a/b', ' https://a', 'https:/a', 'https:a'])
    expect([text, meansHttpUrl(text)]).toEqual([text, true])
  for (const text of ['/a/https:', 'a', './http', 'ftp://a', ''])
    expect([text, meansHttpUrl(text)]).toEqual([text, false])
})
