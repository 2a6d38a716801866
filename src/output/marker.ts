/** What stands where bytes were left out (S1-11, S3-09). */
export const marker = (omittedBytes: number): string => `\n[... truncated ${omittedBytes} bytes ...]\n`;
