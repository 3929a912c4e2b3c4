import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeReceiptPage, encodeTextPage } from '../../../test/support/textPages.ts'
import { copyTexts, encodeBytesPage, entrySpan, logSpan, textEntry } from './pages.ts'

const textOf = (page: Buffer, entry: number): string | undefined => {
  const text = textEntry(page, entry)
  return text && Buffer.from(text).toString('latin1')
}

const at = (page: Buffer, span: { start: number; end: number } | undefined): Buffer | undefined =>
  span && page.subarray(span.start, span.end)

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 40 })

test('entries of a page are found, and its body is the content of a JSON array', () => {
  fc.assert(
    fc.property(fc.array(ascii, { minLength: 1, maxLength: 32 }), (texts) => {
      const page = encodeTextPage(texts)
      for (const [index, text] of texts.entries()) expect(textOf(page, index)).toBe(text)
      expect(textEntry(page, texts.length)).toBeUndefined()
      const all = Buffer.alloc(texts.join(',').length)
      expect(copyTexts(page, all, 0)).toBe(all.length)
      expect(all.toString('latin1')).toBe(texts.join(','))
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 32 }), (entries) => {
      const page = encodeBytesPage(entries)
      for (const [index, entry] of entries.entries())
        expect(at(page, entrySpan(page, index, 0))).toEqual(Buffer.from(entry))
      expect(entrySpan(page, entries.length, 0)).toBeUndefined()
    }),
  )
})

test('logs are found by their index in the block', () => {
  const receipts = fc.array(fc.array(ascii, { maxLength: 5 }), { minLength: 1, maxLength: 32 })
  fc.assert(
    fc.property(receipts, fc.nat({ max: 1_000_000 }), (list, firstLog) => {
      const entries = list.map((logs) => {
        let text = '<'
        const spans = logs.map((log) => {
          const start = text.length
          text += log
          return { start, end: text.length }
        })
        return { text: `${text}>`, logs: spans }
      })
      const page = encodeReceiptPage(entries, firstLog)
      for (const [index, { text }] of entries.entries()) expect(textOf(page, index)).toBe(text)
      const logs = list.flat()
      for (const [index, log] of logs.entries())
        expect(at(page, logSpan(page, firstLog + index))?.toString()).toBe(log)
      expect(logSpan(page, firstLog + logs.length)).toBeUndefined()
      expect(logSpan(page, firstLog - 1)).toBeUndefined()
    }),
  )
})
