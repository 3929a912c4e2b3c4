import { expect, test } from 'vitest'
import { CallTree } from './callTree.ts'

const node = (id: number, functionName: string, children: number[] = []) => ({
  id,
  callFrame: {
    functionName,
    url: functionName.startsWith('(') ? '' : 'file.js',
    lineNumber: id,
    columnNumber: 0,
    scriptId: '',
  },
  children,
})

const profile = {
  nodes: [
    node(1, '(root)', [2, 3, 6]),
    node(2, '(idle)'),
    node(3, 'outer', [4, 5]),
    node(4, 'hot'),
    node(5, 'cold'),
    node(6, '(garbage collector)'),
  ],
  startTime: 1000,
  endTime: 2000,
  // At 1100, 1200 … 1800.
  samples: [2, 4, 4, 5, 3, 6, 6, 2],
  timeDeltas: [100, 100, 100, 100, 100, 100, 100, 100],
}

test('the innermost function with more than half of the time', () => {
  const tree = new CallTree(profile)
  expect(tree.hottest(1150, 1350)).toEqual(['hot (file.js:5:1)', 'outer (file.js:4:1)'])
  // Two samples in hot, one in cold, one in outer itself.
  expect(tree.hottest(1150, 1550)).toEqual(['outer (file.js:4:1)'])
  expect(tree.hottest(1550, 1750)).toEqual(['(garbage collector)'])
})

test('a time in which the thread was idle, or that has no samples, is attributed to no function', () => {
  const tree = new CallTree(profile)
  expect(tree.hottest(1750, 1850)).toEqual([])
  expect(tree.hottest(5000, 6000)).toEqual([])
  expect(new CallTree({ nodes: [], startTime: 0, endTime: 0 }).hottest(0, 1)).toEqual([])
})
