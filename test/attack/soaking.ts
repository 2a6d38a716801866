/** `npm run soak` runs every attack in full length; `npm test` a sample of each. */
export const soaking = process.env['SHELLGATE_SOAK'] === '1';
