import { expect, test } from 'vitest'
import { showFigure, showTicks } from './figures.ts'

const fee = { unit: 'gwei', small: { unit: 'wei', per: 1e9 } }

test('every figure and every tick of an axis has its unit', () => {
  expect(showFigure({ unit: 's' }, 1.5)).toBe('1.5 s')
  expect(showTicks({ unit: '%' }, [0, 5, 10])).toEqual(['0 %', '5 %', '10 %'])
  // What is counted is named by the title.
  expect(showTicks({ unit: '' }, [0, 1000])).toEqual(['0', '1,000'])
})

test('what would be a row of zeros is shown in the smaller unit', () => {
  expect(showTicks(fee, [0, 0.5, 1])).toEqual(['0 gwei', '0.5 gwei', '1 gwei'])
  expect(showTicks(fee, [0, 5e-9, 1e-8])).toEqual(['0 wei', '5 wei', '10 wei'])
  expect(showFigure(fee, 7e-9)).toBe('7 wei')
  expect(showFigure({ unit: '%' }, 1e-7)).toBe('<0.0001 %')
})

test('an axis without ticks has no labels', () => {
  expect(showTicks(fee, [])).toEqual([])
})
