import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { methods } from '../../../src/api/methods.ts'
import { decodeParams } from '../../../src/rpc/dispatch/params.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { createOpenRpcDocument } from '../../../src/rpc/openrpc.ts'
import { executionApis, executionApisMissing } from '../officialSuites.ts'

/** The request/response files of the official API: every request must pass our door, every answer fit our schema. */
/** Refused with -32602 too, but only once the chain is known. */
const needsChain = new Set(['filter-error-future-block-range.io', 'filter-error-reversed-block-range.io'])

interface Exchange {
  readonly request: { readonly method: string; readonly params?: readonly unknown[] }
  readonly response: { readonly result?: unknown; readonly error?: { readonly code: number } }
}

const line = (text: string, mark: string): unknown =>
  JSON.parse(
    text
      .split('\n')
      .find((candidate) => candidate.startsWith(mark))
      ?.slice(mark.length) ?? 'null',
  )

const read = (path: string): Exchange => {
  const text = readFileSync(path, 'utf8')
  return { request: line(text, '>>'), response: line(text, '<<') } as Exchange
}

const document = createOpenRpcDocument(methods, '1.0.0')
const ajv = new Ajv({ strict: false }).addSchema({ $id: 'openrpc', components: document.components })

describe('the official request/response files', () => {
  for (const method of methods) {
    const folder = join(executionApis, method.name)
    if (!existsSync(folder)) continue
    const schema = document.methods.find(({ name }) => name === method.name)?.result.schema
    const validate = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openrpc#/components/')) as object,
    )
    test.each(readdirSync(folder))(`${method.name}/%s`, (file) => {
      const { request, response } = read(join(folder, file))
      const args = decodeParams(method as never, request.params ?? [])
      const isRefused = response.error?.code === -32602 && !needsChain.has(file)
      expect(args instanceof RpcError ? args.message : 'taken').toEqual(
        isRefused ? expect.stringMatching(/^invalid argument/) : 'taken',
      )
      if (response.error === undefined) {
        expect(validate(response.result), JSON.stringify(validate.errors)).toBe(true)
      }
    })
  }

  test('are there', (context) => {
    if (!existsSync(executionApis)) context.skip(executionApisMissing)
    expect(
      readdirSync(executionApis).filter((name) => methods.some((method) => method.name === name)).length,
    ).toBeGreaterThan(15)
  })
})
