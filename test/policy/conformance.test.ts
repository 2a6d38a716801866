import { policyConformance } from '../conformance/policy.js';
import { engineOf } from './made.js';

policyConformance('an empty policy', () => engineOf(''));
policyConformance('rules of every kind', () =>
  engineOf(`
[[rule]]
id = 'reads'
decision = 'allow'
command = '{ls, git, cat} **'
effects = { read = ['/**'], network = ['host'] }
[[rule]]
id = 'asks'
decision = 'ask'
tags = ['delete']
[[rule]]
id = 'denies'
decision = 'deny'
command = 'rm -rf **'
[[rule]]
id = 'text'
decision = 'deny'
text = 'evil'
[[rule]]
id = 'effects'
decision = 'deny'
effects = { write = ['/etc/**'] }
`),
);
