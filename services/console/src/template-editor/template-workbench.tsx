import { sampleFacts } from '@tocsin/template/browser';
import { type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { CodeEditor, type CodeEditorHandle } from './code-editor.js';
import { createInspector, type Inspection, type Problem } from './inspect-template.js';
import { PreviewPane } from './preview-pane.js';
import { fromTexts, toTexts } from './sample-values.js';
import { SampleValues } from './sample-values-view.js';
import './template-editor.css';

export interface TemplateWorkbenchProps {
  body: string;
  /** Error message of the API about the template (`body`) of the webhook. */
  error: string | undefined;
  onChange(body: string): void;
  onInspect(inspection: Inspection): void;
  ref?: Ref<CodeEditorHandle>;
}

/**
 * Editor for a template, with a list of its problems and a preview. After each change, the browser compiles, checks and
 * renders the template at once. That takes about 2 ms for a typical template, so no debouncing is needed.
 */
export function TemplateWorkbench({ body, error, onChange, onInspect, ref }: TemplateWorkbenchProps) {
  const [texts, setTexts] = useState(() => toTexts(sampleFacts));
  const { facts, errors } = useMemo(() => fromTexts(texts), [texts]);
  const inspect = useMemo(() => createInspector(facts), [facts]);
  const inspection = useMemo(() => inspect(body), [inspect, body]);
  const editor = useRef<CodeEditorHandle>(null);
  useImperativeHandle(ref, () => ({ goTo: (problem) => editor.current?.goTo(problem) }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback is new on each render.
  useEffect(() => onInspect(inspection), [inspection]);
  const isEmpty = body.trim() === '';
  const problems = isEmpty ? noProblems : inspection.problems;
  return (
    <div className="stack">
      <div className="workbench">
        <div className="workbench-editor">
          <CodeEditor label="Template" ref={editor} value={body} problems={problems} onChange={onChange} />
          <p className="muted">
            Ctrl-Space completes names. F8 goes to the next problem. Tab leaves the editor.
          </p>
          {error !== undefined && (
            <p className="field-error" role="alert">
              {error}
            </p>
          )}
          <ProblemList
            title={isEmpty ? 'No template yet. A webhook needs one.' : countOf(problems)}
            problems={problems}
            onGoTo={(problem) => editor.current?.goTo(problem)}
          />
        </div>
        <PreviewPane inspection={inspection} isEmpty={isEmpty} />
      </div>
      <SampleValues texts={texts} errors={errors} onChange={setTexts} />
    </div>
  );
}

const noProblems: readonly Problem[] = [];

interface ProblemListProps {
  title: string;
  problems: readonly Problem[];
  onGoTo(problem: Problem): void;
}

function ProblemList({ title, problems, onGoTo }: ProblemListProps) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className="problems">
      <h3 id={heading}>
        <span role="status">{title}</span>
      </h3>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={`${problem.line}:${problem.column} ${problem.message}`} data-severity={problem.severity}>
              <button type="button" onClick={() => onGoTo(problem)}>
                <b>{`${problem.severity === 'error' ? 'Error' : 'Hint'} in line ${problem.line}`}</b>
                <span>{problem.message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function countOf(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const hints = problems.length - errors;
  const parts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(hints > 0 ? [`${hints} ${hints === 1 ? 'hint' : 'hints'}`] : []),
  ];
  return parts.length === 0 ? 'No problems' : parts.join(', ');
}
