/** The major versions of Node.js that `test/package/nodes.test.ts` runs on. Others may work too: `engines` in package.json allows them. */
export const triedNodeMajors: readonly number[] = [20, 22, 24, 26]

/** Returns what to tell about a version of Node.js that was not tried; undefined if it was. */
export const describeUntriedNode = (version = process.versions.node): string | undefined =>
  triedNodeMajors.includes(Number.parseInt(version, 10))
    ? undefined
    : `Node.js ${version} was not tried with this program, only ${triedNodeMajors.join(', ')}`
