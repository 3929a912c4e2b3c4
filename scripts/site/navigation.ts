/** A section of the navigation: its title and its pages, as paths below the root. */
export interface Section {
  readonly title: string
  readonly pages: readonly string[]
}

const tools = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/tools/${name}.md`)
const docs = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/${name}.md`)

/** The navigation: the three doors of the README, then what readers look up. */
export const sections: readonly Section[] = [
  { title: 'Start', pages: ['README.md', ...docs('start')] },
  {
    title: 'Build a dapp',
    pages: [
      ...docs('development'),
      ...tools('foundry', 'hardhat', 'remix', 'viem', 'wagmi', 'ethers', 'web3js', 'web3py', 'metamask'),
      ...docs('explorer', 'coming-from'),
      'examples/vitest/README.md',
    ],
  },
  {
    title: 'Run a chain',
    pages: [...docs('chain', 'validators', 'operations', 'monitoring', 'remote-signing'), 'deploy/README.md'],
  },
  {
    title: 'Serve an existing chain',
    pages: [
      ...docs('gateway', 'fleet', 'families', 'cosmos-view', 'trust', 'light', 'sql', 'feed'),
      ...tools('ponder', 'the-graph', 'blockscout', 'otterscan'),
      'examples/gateway/README.md',
      'examples/light/README.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      ...docs(
        'methods',
        'settings',
        'metrics',
        'terminal',
        'subscriptions',
        'troubleshooting',
        'reliability',
      ),
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Measure and compare',
    pages: [...docs('comparison', 'performance', 'stages'), 'bench/README.md'],
  },
  {
    title: 'Change the program',
    pages: ['CONTRIBUTING.md', ...docs('architecture', 'glossary'), 'docs/decisions/README.md'],
  },
]
