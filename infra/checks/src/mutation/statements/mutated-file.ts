export interface MutatedFile {
  file: string;
  tests: string[];
  /** Texts of the file with their replacements. */
  changes: [piece: string, replacement: string][];
}
