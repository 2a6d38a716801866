import { sessionConformance } from '../conformance/session.js';
import { footings } from './opened.js';

for (const footing of footings) sessionConformance(footing);
