import { describe, expect, test } from 'vitest'
import { importsOf, programFiles } from './programFiles.ts'

/** Files or folders, each with those that it imports. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>

type Arrow = readonly [from: string, to: string]

const toGraph = (arrows: readonly Arrow[]): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of arrows) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  return graph
}

/** The sibling folders that an import leads from and to: `a/b` and `a/c` for one from `a/b/x.ts` to `a/c/d/y.ts`. */
const siblingsOf = ([from, to]: Arrow): readonly Arrow[] => {
  const source = from.split('/')
  const target = to.split('/')
  const level = source.findIndex((name, index) => name !== target[index])
  const areFolders = level >= 0 && level < source.length - 1 && level < target.length - 1
  return areFolders ? [[source.slice(0, level + 1).join('/'), target.slice(0, level + 1).join('/')]] : []
}

const reachableFrom = (graph: Graph, start: string): ReadonlySet<string> => {
  const reached = new Set<string>()
  const visit = (node: string): void => {
    for (const next of graph.get(node) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      visit(next)
    }
  }
  visit(start)
  return reached
}

/** The groups of which each member leads to all others, two that import each other among them. */
const circlesIn = (graph: Graph): readonly string[] => {
  const reach = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]))
  const circleOf = (node: string): readonly string[] =>
    [...(reach.get(node) ?? [])].filter((other) => reach.get(other)?.has(node)).sort()
  const circles = [...graph.keys()].map(circleOf).filter(({ length }) => length > 0)
  return [...new Set(circles.map((circle) => circle.join(', ')))].sort()
}

const findCircles = (arrows: readonly Arrow[]): readonly string[] => [
  ...circlesIn(toGraph(arrows)),
  ...circlesIn(toGraph(arrows.flatMap(siblingsOf))),
]

const roomOf = (path: string): string => /^(?:src\/[^/]+|explorer)(?=\/)/.exec(path)?.[0] ?? ''

const sources = [...programFiles('src'), ...programFiles('explorer')]
const rooms = [...new Set(sources.map(roomOf))].filter((room) => room !== '')

/** Every import within a room, types included. Between rooms, imports.test.ts holds them to their list. */
const arrowsWithin = (room: string): readonly Arrow[] =>
  sources
    .filter((path) => roomOf(path) === room)
    .flatMap((path) => importsOf(path).map((target): Arrow => [path, target]))
    .filter(([, target]) => roomOf(target) === room)

describe('imports within a room have a direction', () => {
  test.each(rooms)('%s', (room) => {
    expect(findCircles(arrowsWithin(room))).toEqual([])
  })

  test('the check finds a circle of files, and of folders without one', () => {
    const files: readonly Arrow[] = [
      ['src/a/x.ts', 'src/a/y.ts'],
      ['src/a/y.ts', 'src/a/z.ts'],
      ['src/a/z.ts', 'src/a/x.ts'],
    ]
    expect(findCircles(files)).toEqual(['src/a/x.ts, src/a/y.ts, src/a/z.ts'])
    const folders: readonly Arrow[] = [
      ['src/a/b/x.ts', 'src/a/c/d/y.ts'],
      ['src/a/c/z.ts', 'src/a/b/w.ts'],
      ['src/a/c/z.ts', 'src/a/v.ts'],
    ]
    expect(findCircles(folders)).toEqual(['src/a/b, src/a/c'])
    expect(findCircles(folders.slice(1))).toEqual([])
  })

  test('the check sees every room', () => {
    expect(rooms.length).toBeGreaterThan(20)
    expect(arrowsWithin('src/cli').length).toBeGreaterThan(20)
  })
})
