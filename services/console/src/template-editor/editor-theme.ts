import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/**
 * Colours of the editor, from the CSS variables of the page, which the shadow root inherits. Problems are marked
 * without images, because the images of CodeMirror are `data:` URLs, which the Content-Security-Policy rejects.
 */
const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.875rem', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '18rem' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--surface)', border: 'none' },
  '.cm-lint-marker': {
    content: 'none',
    width: '0.6em',
    height: '0.6em',
    margin: '0.45em 0.2em',
    borderRadius: '50%',
  },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-info': { content: 'none', backgroundColor: 'var(--wait)' },
  '.cm-lintRange': { backgroundImage: 'none', textDecorationThickness: '2px', textUnderlineOffset: '3px' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline dotted var(--wait)' },
  '.error-line': { backgroundColor: 'color-mix(in srgb, var(--bad) 12%, transparent)' },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--border)',
    borderRadius: '6px',
    maxWidth: 'min(32rem, 90vw)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { fontFamily: 'var(--sans)', fontStyle: 'normal', opacity: '0.85' },
  '.cm-diagnostic': { padding: '0.35rem 0.6rem', borderLeft: '3px solid var(--wait)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
});

const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword],
    color: 'var(--code-keyword)',
  },
  { tag: [tags.operatorKeyword, tags.logicOperator], color: 'var(--code-keyword)' },
  { tag: tags.brace, color: 'var(--code-brace)' },
  { tag: [tags.variableName, tags.definition(tags.variableName)], color: 'var(--code-variable)' },
  { tag: tags.special(tags.variableName), color: 'var(--code-filter)' },
  { tag: tags.propertyName, color: 'var(--code-property)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
]);

export const editorTheme: Extension = [theme, syntaxHighlighting(colours)];
