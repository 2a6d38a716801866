import type { Principal } from './principal.js';

/** Who asks when the environment probe looks around. Hosts and their models have principals of their own. */
export const PROBE_PRINCIPAL: Principal = { kind: 'program', id: 'environment-probe', label: 'environment probe' };

/** What a program that is looked for may be called (S3-28): such a name is one plain word in every shell. */
export const TOOL_NAME = /^[A-Za-z0-9._-]+$/;

/** The command lines of the probe. They change nothing; which programs there are to look for is the host's to say. */
export const SHELL_VERSION_LINE = 'printf \'%s\\n\' "$BASH_VERSION"';
export const SYSTEM_LINE = 'uname -srm';
export const lookupLine = (name: string): string => `command -v ${name}`;
export const versionLine = (name: string): string => `${name} --version`;

const LOOKING = /^(?:command -v [A-Za-z0-9._-]+|[A-Za-z0-9._-]+ --version)$/;

/** Is this, to the byte, one of the probe's lines? */
export const isProbeLine = (text: string): boolean => text === SHELL_VERSION_LINE || text === SYSTEM_LINE || LOOKING.test(text);
