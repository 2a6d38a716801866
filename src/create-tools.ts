import { join } from 'node:path';
import { classify } from './analysis/classify.js';
import { defaults } from './config.js';
import type { Gate } from './contract/gate.js';
import { createSpools } from './output/spool.js';
import { stateDirectory } from './platform.js';
import { createRedactor } from './redaction/redactor.js';
import { sessionEnvironment } from './session-environment.js';
import { createTools as composeTools, type Tools, type ToolsOptions } from './tools/create-tools.js';

/**
 * Functions for a model (documents 001, 002 and 003) behind a gate. What is not given is built here: classification,
 * redaction of records, and the spool in which long output is kept. Errors: `TOOL_UNKNOWN`.
 */
export function createTools(gate: Gate & { readonly about?: { readonly family: string } }, options: ToolsOptions = {}): Tools {
  const redactor = createRedactor({ env: inherited() });
  const { variables } = sessionEnvironment('safe', process.env);
  const spools = createSpools({ directory: join(stateDirectory(), 'spool'), ...defaults.spool });
  const tools = composeTools(gate, {
    classify,
    redact: value => redactor.redactValue(value),
    environment: name => variables[name],
    keeper: spools,
    ...(gate.about && { family: gate.about.family }),
    ...options,
  });
  const close = async (): Promise<void> => {
    await tools.close();
    await spools.close();
  };
  return { ...tools, close, [Symbol.asyncDispose]: close };
}

const inherited = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
