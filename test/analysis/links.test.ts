import { expect, test } from 'vitest';
import { specs } from '../../src/analysis/specs/index.js';
import { verifies } from '../helpers/verifies.js';
import { analyze, WORKSPACE } from './analyzing.js';

const queried = async (command: string) => (await analyze(command, { specs })).query;

test.each([
  ['env -C sub touch ../x', [`${WORKSPACE}/sub`]],
  ['git -C sub init ../x', [`${WORKSPACE}/sub`]],
  ['tar -cf a.tar -C sub ../x', [`${WORKSPACE}/sub`]],
  ['env -C sub touch x', []],
])('a directory that a program goes to before it climbs is asked about: %s', async (command, crossed) => {
  verifies('P3');
  expect((await queried(command)).crossed).toEqual(crossed);
});

test.each([
  ['grep -R x sub', ['sub/**/']],
  ['find -L sub -name x', ['sub/**/']],
  ['cp -rL sub copy', ['sub/**/', 'copy/', 'copy/sub/']],
  ['zip -r x.zip sub', ['sub/**/']],
  ['rg --follow x sub', ['sub/**/']],
  ['unzip x.zip -d sub', ['sub/**/']],
  ['grep -r x sub/*/*', ['sub/*/']],
  ['grep -r x sub/*', ['sub/']],
  ['grep -r x sub', []],
  ['zip -ry x.zip sub', []],
])('links count as deep as they are followed: %s', async (command, folders) => {
  verifies('P3');
  expect((await queried(command)).folders).toEqual(folders.map(folder => `${WORKSPACE}/${folder}`));
});
