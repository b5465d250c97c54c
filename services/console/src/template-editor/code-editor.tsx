import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { createEditorState, showProblems } from './editor-state.js';
import type { Problem } from './inspect-template.js';
import { problemRange } from './problem-range.js';

export interface CodeEditorHandle {
  /** Moves the cursor to the position of a problem and scrolls it into view. */
  goTo(problem: Problem): void;
}

/**
 * Editor for a template. It has line numbers, syntax colours and completion, and marks problems. The editor is in a
 * shadow root, because CodeMirror can use constructed style sheets there. In the document itself, CodeMirror would add
 * a style element, and the Content-Security-Policy would reject it.
 */
export function CodeEditor({
  label,
  value,
  problems,
  onChange,
  ref,
}: {
  label: string;
  value: string;
  problems: readonly Problem[];
  onChange(value: string): void;
  ref?: Ref<CodeEditorHandle>;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ label, value, onChange });
  latest.current = { label, value, onChange };

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const { label, value } = latest.current;
    const state = createEditorState({ label, value, onChange: (text) => latest.current.onChange(text) });
    const editor = new EditorView({ state, root, parent: root });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current!;
    const length = editor.state.doc.length;
    if (editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: length, insert: value } });
    }
    showProblems(editor, problems);
  }, [value, problems]);

  useImperativeHandle(ref, () => ({
    goTo(problem) {
      const editor = view.current!;
      const { from } = problemRange(editor.state.doc.toString(), problem);
      editor.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      editor.focus();
    },
  }));

  return <div className="code-editor" ref={host} />;
}
