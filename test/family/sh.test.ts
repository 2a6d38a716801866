import { expect, test } from 'vitest';
import { chooseFamily } from '../../src/family/families.js';
import { sh } from '../../src/family/sh.js';
import { familyConformance } from '../conformance/family.js';

familyConformance('sh', { family: sh, shell: ['/bin/sh'] });

test('every POSIX shell is spoken to alike', () => {
  for (const name of ['/bin/sh', '/usr/bin/dash', '/bin/busybox']) expect(chooseFamily([name])).toBe(sh);
  expect(sh.argv(['/bin/busybox', 'sh'])).toEqual(['/bin/busybox', 'sh', '-i']);
  expect(sh.syntaxCheck(['/bin/busybox', 'sh'])).toEqual(['/bin/busybox', 'sh', '-n']);
});
