import { join } from 'node:path';
import { createLocalExecutor } from '../../src/executor/local/index.js';
import { executorConformance } from '../conformance/executor.js';

executorConformance({
  name: 'local on a terminal, with nameless pipes',
  footing: 'pty',
  make: place => createLocalExecutor({ runtimeDirectory: join(place, 'run') }),
});

executorConformance({
  name: 'local without a terminal, with named pipes',
  footing: 'pipes',
  make: place => createLocalExecutor({ runtimeDirectory: join(place, 'run'), pty: 'off', pipes: 'named' }),
});
