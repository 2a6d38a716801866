/**
 * Who asks, or who answers. `id` is that of a credential (a socket's peer, a session's owner); `label`, `client` and
 * `model` are only what the principal says of itself and are never trusted.
 */
export interface Principal {
  readonly kind: 'model' | 'person' | 'program';
  readonly id: string;
  readonly label: string;
  readonly client?: string;
  readonly model?: string;
}
