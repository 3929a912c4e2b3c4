/**
 * The options of a test, or of a group, that takes seconds: `npm test` leaves it out, `npm run test:all` has it. Every
 * suite keeps tests without it. A group is chosen whole where its tests build on one another.
 */
export const slow = { tags: ['slow'] }
