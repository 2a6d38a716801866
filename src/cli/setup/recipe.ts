/** One change to a client's file: a value that is ours alone, or an entry in a list that has others too. */
export type Edit =
  | { readonly at: readonly string[]; readonly set: unknown }
  | { readonly at: readonly string[]; readonly include: string };

export interface FileChange {
  readonly path: string;
  readonly format: 'json' | 'toml';
  readonly edits: readonly Edit[];
}

/** How the client shall start the server. */
export interface Server {
  /** Absolute paths: a name would be looked up in whatever PATH the client has, a project's included. */
  readonly command: string;
  readonly args: readonly string[];
  /** Where our sockets, log and configuration are, for clients that pass on little of their environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The user's own places. */
export interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isMac: boolean;
  exists(path: string): boolean;
}

/** How one client is connected: add a client by one entry in clients.ts. */
export interface Recipe {
  readonly name: string;
  readonly title: string;
  changes(server: Server, places: Places): readonly FileChange[];
  /** What the changes mean and what a file cannot do, for the person. */
  readonly notes: readonly string[];
}

/** Longer than the longest deadline (600 s), so that the client never gives up first. */
export const CALL_SECONDS = 660;
