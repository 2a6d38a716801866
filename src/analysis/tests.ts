import { arithmeticVariable, evaluateArithmeticText, referenceSubscript } from './arithmetic.js';
import type { Flow } from './flow.js';
import type { TestExpression, WordNode } from './parse.js';
import { valueIn } from './words.js';

const ARITHMETIC = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** `[[ … ]]`: visited for the commands in its words and for the places that evaluate them. */
export function visitTest(expression: TestExpression, flow: Flow): void {
  if (!flow.findings.step()) return;
  switch (expression.type) {
    case 'TestUnary': {
      const value = valueIn(expression.operand, flow);
      if (expression.operator === '-v' || expression.operator === '-R') referenceSubscript(value, flow);
      return;
    }
    case 'TestBinary':
      if (ARITHMETIC.has(expression.operator)) {
        arithmeticOperand(expression.left, flow);
        arithmeticOperand(expression.right, flow);
      } else {
        valueIn(expression.left, flow);
        valueIn(expression.right, flow);
      }
      return;
    case 'TestLogical':
      for (const operand of expression.operands) visitTest(operand, flow);
      return;
    case 'TestNot':
      visitTest(expression.operand, flow);
      return;
    case 'TestGroup':
      visitTest(expression.expression, flow);
  }
}

function arithmeticOperand(node: WordNode, flow: Flow): void {
  const only = node.parts?.length === 1 ? node.parts[0] : undefined;
  const inner = only?.type === 'DoubleQuoted' && only.parts.length === 1 ? only.parts[0] : only;
  const name = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(inner?.text ?? '')?.[1];
  if (name !== undefined && !flow.state.variables.has(name)) arithmeticVariable(name, flow);
  else evaluateArithmeticText(valueIn(node, flow), flow);
}
