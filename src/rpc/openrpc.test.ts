import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createOpenRpcValidator } from '../../test/support/openRpcSchema.ts'
import { defineMethod, optionalParam, param, secretParam } from './method.ts'
import { createOpenRpcDocument } from './openrpc.ts'
import { inputType, patternString, plainType } from './wireType.ts'

const method = defineMethod<unknown>()
const colourText = patternString(/^#[0-9a-f]{6}$/, 'a colour').meta({ id: 'Colour' })
const Colour = inputType(colourText.transform((value) => Number.parseInt(value.slice(1), 16)))

const paint = method({
  name: 'shop_paint',
  summary: 'Paints a wall.',
  access: 'private',
  params: [
    param('colour', Colour, 'Which colour.'),
    secretParam('password', plainType(z.string()), 'Of the shop.'),
    optionalParam('walls', plainType(z.array(z.object({ colour: colourText.nullish() }))), 'Which walls.'),
  ],
  result: { name: 'litres', type: plainType(z.number()) },
  examples: [{ name: 'red', params: ['#ff0000', 'x'], result: 2 }],
  handler: () => 1,
})

const close = method({
  name: 'shop_close',
  summary: 'Closes the shop.',
  access: 'public',
  params: [],
  result: { name: 'nothing', type: plainType(z.null()) },
  examples: [],
  handler: () => null,
})

describe('the OpenRPC document', () => {
  const document = createOpenRpcDocument([paint, close], '1.2.3')

  test('follows the meta schema', () => {
    const validate = createOpenRpcValidator()
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ ...document, methods: [{ name: 'x' }] })).toBe(false)
    const badSchema = { ...document.methods[1], result: { name: 'x', schema: { type: 'nonsense' } } }
    expect(validate({ ...document, methods: [badSchema] })).toBe(false)
  })

  test('has the version of the package', () => {
    expect(document.info.version).toBe('1.2.3')
  })

  test('describes a method as it travels', () => {
    expect(document.methods[0]).toEqual({
      name: 'shop_paint',
      summary: 'Paints a wall.',
      tags: [{ name: 'shop' }],
      paramStructure: 'by-position',
      params: [
        {
          name: 'colour',
          summary: 'Which colour.',
          required: true,
          schema: { $ref: '#/components/schemas/Colour' },
        },
        { name: 'password', summary: 'Of the shop.', required: true, schema: { type: 'string' } },
        {
          name: 'walls',
          summary: 'Which walls.',
          required: false,
          schema: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                colour: { anyOf: [{ $ref: '#/components/schemas/Colour' }, { type: 'null' }] },
              },
            },
          },
        },
      ],
      result: { name: 'litres', schema: { type: 'number' } },
      errors: [
        { code: -32602, message: 'an argument is missing, wrong or one too many' },
        { code: 4100, message: 'unauthorized' },
      ],
      examples: [
        {
          name: 'red',
          params: [
            { name: 'colour', value: '#ff0000' },
            { name: 'password', value: 'x' },
          ],
          result: { name: 'litres', value: 2 },
        },
      ],
      'x-access': 'private',
      'x-work': 'cheap',
    })
  })

  test('keeps a schema with an id once', () => {
    expect(document.components.schemas).toEqual({
      Colour: { type: 'string', pattern: '^#[0-9a-f]{6}$', description: 'a colour' },
    })
  })

  test('rejects two schemas with one id', () => {
    const other = plainType(z.number().meta({ id: 'Colour' }))
    const clash = method({
      ...close,
      name: 'shop_clash',
      result: { name: 'x', type: other },
      handler: () => 1,
    })
    expect(() => createOpenRpcDocument([paint, clash], '1.2.3')).toThrow('two schemas have the id Colour')
  })
})
