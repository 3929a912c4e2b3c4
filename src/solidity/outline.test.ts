import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readOutline } from './outline.ts'

const source = `// contract Not { function no() {} }
pragma solidity ^0.8.0;
import {A as B} from "./a.sol";
error Plain(uint256 code);
function free(uint256 a, uint256 b) pure returns (uint256) { return a / b; }
abstract contract Base is Other.Part, B(1, 2) {
  struct Pair { uint256 a; function(uint256) external f; }
  mapping(address => uint256) private balances;
  uint256 public constant limit = 10 ** 18;
  function() internal pointer;
  event Moved(address to);
  using Sums for uint256[];
  constructor(string memory text, function(uint256) external f) Part("}") { assembly { revert(0, 0) } }
  modifier only { _; }
  receive() external payable {}
  fallback() external { }
  function open() external virtual;
  function get(uint256 x) public returns (uint256[] memory) { unchecked { x++; } return new uint256[](x); }
}
library Sums { function () {} }
`

test('contracts, functions, modifiers and variables', () => {
  const { contracts, functions } = readOutline(source)
  const textOf = ({ start, end }: { start: number; end: number }): string => source.slice(start, end)
  expect(functions.map(textOf)).toEqual([
    'function free(uint256 a, uint256 b) pure returns (uint256) { return a / b; }',
  ])
  expect(contracts.map(({ kind, name, bases }) => [kind, name, bases])).toEqual([
    ['contract', 'Base', ['Part', 'B']],
    ['library', 'Sums', []],
  ])
  expect(
    contracts[0]?.definitions.map(({ kind, name, parameters }) => `${kind} ${name} ${parameters}`),
  ).toEqual([
    'variable balances 0',
    'variable limit 0',
    'variable pointer 0',
    'constructor constructor 2',
    'modifier only 0',
    'receive receive 0',
    'fallback fallback 0',
    'function open 0',
    'function get 1',
  ])
  expect(contracts[0]?.definitions.map(textOf).at(-1)).toMatch(/^function get[\s\S]*\}$/)
  expect(contracts[1]?.definitions.map(({ kind }) => kind)).toEqual(['fallback'])
  expect(textOf(contracts[0] ?? { start: 0, end: 0 })).toMatch(/^abstract contract Base[\s\S]*\}$/)
})

test('any text has an outline', () => {
  const word = fc.constantFrom(
    ...['contract', 'is', 'function', 'A', '(', ')', '{', '}', ';', '=', ',', '"', "'", '/*', '.', '\n'],
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      readOutline(words.join(' '))
    }),
  )
})
