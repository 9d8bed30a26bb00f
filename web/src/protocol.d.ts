// What the engine answers, as the page reads it. Every number of a value is a string; positions and counts are numbers.

export interface Refusal {
  code: string;
  message: string;
  utf16?: [number, number];
  span?: [number, number];
  help?: string;
  witness?: { at: unknown[]; gives: string[]; needs: string };
  chain?: string;
  reason?: unknown;
  repairs?: string[];
}

export interface Answer {
  kind?: string;
  value?: string;
  data?: unknown;
  notes?: string[];
  unknowns?: string[];
  error?: Refusal;
}

export interface Line extends Answer {
  line: number;
  lines: number;
  start: number;
  end: number;
  at: [number, number];
  name: string | null;
  expression: string;
  uses?: string[];
  view?: "layout" | "linear" | "xla" | "instruction" | "words" | null;
}

export interface Step {
  of: string;
  rule: string;
  expression: string;
  kind: string;
  value: string;
}

export interface Explanation extends Answer {
  table?: Record<string, string>;
  assumptions?: string[];
  steps?: Step[];
  text?: string;
}

export interface Place {
  name: string;
  element?: string;
  coordinate?: string;
  place?: string;
  text?: string;
  bank?: string;
  axes?: Record<string, string>;
  error?: Refusal;
}

export interface Operation {
  name: string;
  group: string;
  signature: string;
  parameters: { name: string; kind: string; meaning: string; presence: string }[];
  law?: string;
  statement?: string;
  example: string;
}

export interface GridHeader {
  rows: string;
  cols: string;
  first_row: string;
  first_col: string;
  height: number;
  width: number;
  start: number;
  row_heads: string[];
  col_heads: string[];
  row_levels: number[];
  col_levels: number[];
  frame: "lines" | "parentheses";
}

export interface PanelHeader {
  title: string;
  caption: string;
  /** Only its room is left free. */
  hidden?: boolean;
  grids: GridHeader[];
}

export interface ModelHeader {
  title: string;
  footnote: string;
  legend: { fill: number; text: string }[];
  strings: string[];
  rows: PanelHeader[][];
}

export interface Model {
  header: ModelHeader;
  texts: Uint32Array;
  fills: Int32Array;
  elements: BigInt64Array;
  places: BigInt64Array;
}

export interface Request {
  expressions: string[];
  view?: string;
  by?: string[];
  mark?: string;
  at?: string[];
  tile?: string;
  slice?: string;
  threads?: string;
  transfer?: string;
  element_bits?: string;
}

export interface Window {
  rows?: [number | string, number | string];
  cols?: [number | string, number | string];
}
