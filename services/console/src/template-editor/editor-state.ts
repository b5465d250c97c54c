import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { jinja } from '@codemirror/lang-jinja';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentUnit } from '@codemirror/language';
import {
  type Diagnostic,
  lintGutter,
  lintKeymap,
  setDiagnostics,
  setDiagnosticsEffect,
} from '@codemirror/lint';
import { EditorState, RangeSetBuilder, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { completeNames } from './completions.js';
import { editorTheme } from './editor-theme.js';
import type { Problem } from './inspect-template.js';
import { problemRange } from './problem-range.js';

/** Creates the editor state. The Tab key moves the focus out of the editor, so that keyboard users can leave it. */
export function createEditorState({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}): EditorState {
  return EditorState.create({
    doc: value,
    extensions: [
      lineNumbers(),
      lintGutter(),
      history(),
      EditorView.lineWrapping,
      indentUnit.of('  '),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ override: [complete], icons: false }),
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
      ]),
      jinja({ base: json() }),
      problemLines,
      editorTheme,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
}

function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = completeNames(state.doc.toString(), pos, explicit);
  return found === null ? null : { from: found.from, options: found.options, validFor: /^\w*$/ };
}

/** Marks problems in the text and next to the line numbers. */
export function showProblems(view: EditorView, problems: readonly Problem[]): void {
  const text = view.state.doc.toString();
  const diagnostics = problems.map(
    (problem): Diagnostic => ({
      ...problemRange(text, problem),
      severity: problem.severity === 'error' ? 'error' : 'info',
      message: problem.message,
    }),
  );
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Colours the background of each line that contains an error. */
const problemLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setDiagnosticsEffect));
    if (set === undefined) return lines.map(transaction.changes);
    const starts = set.value
      .filter(({ severity }) => severity === 'error')
      .map(({ from }) => transaction.state.doc.lineAt(from).from);
    const builder = new RangeSetBuilder<Decoration>();
    for (const start of [...new Set(starts)].sort((a, b) => a - b)) builder.add(start, start, errorLine);
    return builder.finish();
  },
  provide: (field) => EditorView.decorations.from(field),
});

const errorLine = Decoration.line({ class: 'error-line' });
