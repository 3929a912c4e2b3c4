import { createPatchedBuild, type PatchedBuild } from '../support/programs/patchedBuild.ts'

/**
 * A copy of the build in which one step of the commit is left out: state and block are written one after the other
 * instead of together. A test that does not find this finds nothing.
 */
export const makeBrokenBuild = (): PatchedBuild =>
  createPatchedBuild({
    name: 'broken',
    pattern: /transact\(\(\) => \{\s*state\.write\(\);\s*writeRows\(\);\s*\}\)/,
    replacement:
      'transact(() => { state.write() }); await new Promise((resolve) => setTimeout(resolve, 20)); ' +
      'await this.#dependencies.environment.transact(() => { writeRows() })',
  })
