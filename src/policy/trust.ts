import { realpathSync } from 'node:fs';
import { z } from 'zod';
import { ShellgateError } from '../contract/error.js';
import { textHash } from './digest.js';
import { MachineFile } from './machine-file.js';
import { readOwnFile } from './policy-file.js';

/** A file of a project that a person trusted: this content, at this path. */
export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  readonly trustedAt: string;
  readonly by: string;
}

const schema = z.strictObject({
  trusted: z.array(z.strictObject({ path: z.string(), sha256: z.string(), trustedAt: z.string(), by: z.string() })).optional(),
});

const HEADER = '# Project policies that a person trusted, by content. Written by shellgate: shellgate policy trust FILE';

/** Which project files count in full (P11). A changed file, or the same content elsewhere, is not trusted. */
export class TrustStore {
  /** `trust.toml` in the user's own state directory. */
  readonly path: string;
  readonly #file: MachineFile<readonly TrustedFile[]>;

  constructor(path: string) {
    this.path = path;
    this.#file = new MachineFile<readonly TrustedFile[]>(path, {
      header: HEADER,
      fromTable: table => schema.parse(table).trusted ?? [],
      toTable: files => ({ trusted: files.map(file => ({ ...file })) }),
    });
  }

  list(): readonly TrustedFile[] {
    return this.#file.read() ?? [];
  }

  /** Errors: `POLICY_UNREADABLE` when the file of trusted files itself cannot be read. */
  isTrusted(path: string, text: string): boolean {
    const real = realpathSync(path);
    const sha256 = textHash(text);
    return this.list().some(file => file.path === real && file.sha256 === sha256);
  }

  /** Trusts what the file holds now. Errors: `POLICY_UNREADABLE`. */
  async trust(path: string, by: string): Promise<TrustedFile> {
    const real = realPath(path);
    const entry = {
      path: real,
      sha256: textHash(readOwnFile(real, { writers: 'owner' })),
      trustedAt: new Date().toISOString(),
      by,
    };
    await this.#file.change(files => [...(files ?? []).filter(file => file.path !== real), entry]);
    return entry;
  }

  /** false: it was not trusted. */
  async distrust(path: string): Promise<boolean> {
    const before = this.list();
    const real = realOr(path);
    const after = await this.#file.change(files => (files ?? []).filter(file => file.path !== path && file.path !== real));
    return after.length < before.length;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    const what = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : (cause as Error).message;
    throw new ShellgateError('POLICY_UNREADABLE', `${what}; name the policy file to trust`, { cause, place: path });
  }
}

/** A trusted file may be gone by now. */
function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
