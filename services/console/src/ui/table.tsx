import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface Column<T> {
  header: string;
  cell(row: T): ReactNode;
  /** Column width as a CSS grid track, for example `2fr` or `120px`. */
  width: string;
  /**
   * Display of the cell in windows narrower than 640 px. With `hide`, the cell is hidden. With `line`, it has a line of
   * its own. With `last`, it is on a line below all other cells. With `label`, the column header is in front of the
   * value.
   */
  narrow?: 'hide' | 'line' | 'last' | 'label';
}

export interface TableProps<T> {
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey(row: T): string;
  /**
   * Called when one of the last 10 rows becomes visible, and again if one of them is visible after more rows were
   * loaded.
   */
  onEndReached?: () => void;
  /** Text below the last row. */
  footer?: ReactNode;
}

/**
 * Assumed height of rows that are not rendered yet, in pixels. It is the height of a row with one line of text in a
 * wide window.
 */
const rowHeightPx = 44;

/**
 * Table that scrolls with the page. Only the visible rows and 15 rows above and below them are in the document. Rows
 * can have different heights. The first cell should contain a link, so that the row can be reached by keyboard.
 */
export function Table<T>({ label, columns, rows, rowKey, onEndReached, footer }: TableProps<T>) {
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    setOffset(Math.round(top + window.scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeightPx,
    overscan: 15,
    scrollMargin: offset,
    getItemKey: (index) => rowKey(rows[index]!),
  });
  // A row above the visible part can turn out not to have the assumed height. The scroll position must then be
  // corrected, but a script that changes the position ends the smooth scrolling of the browser, for example after
  // Ctrl+Home. The position is therefore corrected only while the page does not scroll.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ end }, _delta, { isScrolling, scrollOffset }) =>
    !isScrolling && end <= (scrollOffset ?? 0);
  const visible = virtualizer.getVirtualItems();
  const isAtEnd = (virtualizer.range?.endIndex ?? 0) >= rows.length - 10;
  // The effect also runs each time more rows are loaded, because the rows may still not fill the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback is new on each render.
  useEffect(() => {
    if (isAtEnd) onEndReached?.();
  }, [isAtEnd, rows.length]);

  const style = { '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties;
  return (
    <div className="table" style={style}>
      {/* biome-ignore-start lint/a11y/useSemanticElements: absolutely positioned rows cannot be table elements. */}
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: a table is not interactive; its links are. */}
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className="table-row table-head">
            {columns.map(({ header, narrow }) => (
              <div key={header} role="columnheader" className="table-cell" data-narrow={narrow}>
                {header}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={body} className="table-body" style={{ height: virtualizer.getTotalSize() }}>
          {visible.map(({ key, index, start }) => (
            <div
              key={key}
              role="row"
              ref={virtualizer.measureElement}
              data-index={index}
              aria-rowindex={index + 2}
              className="table-row"
              style={{ transform: `translateY(${start - offset}px)` }}
            >
              {columns.map(({ header, cell, narrow }) => (
                <div
                  key={header}
                  role="cell"
                  className="table-cell"
                  data-narrow={narrow}
                  data-header={header}
                >
                  {cell(rows[index]!)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: absolutely positioned rows cannot be table elements. */}
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: a table is not interactive; its links are. */}
      {footer !== undefined && <div className="table-foot">{footer}</div>}
    </div>
  );
}
